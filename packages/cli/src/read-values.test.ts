import { describe, expect, test } from 'vitest';
import { readHost } from './read-values.ts';

describe('The address to listen on', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['::1', '::1'],
    ['[::1]', '::1'],
    ['::', '::'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['[::FFFF:10.0.0.1]', '10.0.0.1'],
  ])('%s is %s', (text, host) => expect(readHost(text)).toBe(host));

  test.each(['fe80::1%eth0', '[fe80::1%25eth0]'])('%s has a zone', (text) =>
    expect(() => readHost(text)).toThrow('certificates cannot name an address with a zone'),
  );

  test.each(['', 'a b', '[::1', '::1]', '1::2::3', '[]', '-x', 'a/b', 'a,b', '*', 'a'.repeat(254)])(
    '%j is none',
    (text) => expect(() => readHost(text)).toThrow('it is not an address or a host name'),
  );
});
