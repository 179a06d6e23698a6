import { describe, expect, test } from 'vitest';
import { readHost, readNodes, readReplicas, readSeconds } from './read-values.ts';

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

test('each number has its own bounds', () => {
  expect([readNodes('250'), readReplicas('1000'), readSeconds('86400'), readSeconds('0')]).toEqual([
    250, 1000, 86400, 0,
  ]);
  expect(() => readNodes('251')).toThrow('Cannot use "251" as the number of nodes: it is not a number from 0 to 250');
  expect(() => readReplicas('1001')).toThrow('of replicas: it is not a number from 0 to 1000');
  for (const text of ['1000001', '99999999', '-1', '1.5', '5m', ''])
    expect(() => readSeconds(text)).toThrow('of seconds: it is not a number from 0 to 1000000');
});
