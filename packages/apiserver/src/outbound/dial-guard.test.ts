import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { checkHost, guardedLookup } from './dial-guard.ts';

test.each([
  '169.254.169.254',
  '0.0.0.0',
  '::',
  'fe80::1',
  '[fe80::1]',
  '::ffff:169.254.169.254',
  'fd00:ec2::254',
  '224.0.0.1',
  '255.255.255.255',
])('%s is never connected to', (host) => expect(() => checkHost(host)).toThrow('the address is not allowed'));

test.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', '8.8.8.8', 'fd00::1', 'metadata.google.internal'])(
  '%s may be',
  (host) => expect(() => checkHost(host)).not.toThrow(),
);

test.each([
  ['IPv4-mapped', '::FFFF:A9FE:A9FE'],
  ['IPv4-mapped, written out', '0:0:0:0:0:ffff:169.254.169.254'],
  ['IPv4-compatible', '::169.254.169.254'],
  ['IPv4-translated', '::ffff:0:169.254.169.254'],
  ['NAT64', '64:ff9b::a9fe:a9fe'],
  ['NAT64 with a dotted tail', '64:ff9b::169.254.169.254'],
  ['NAT64 in brackets', '[64:ff9b::a9fe:a9fe]'],
  ['NAT64 of a site', '64:ff9b:1::a9fe:a9fe'],
  ['NAT64 of loopback', '64:ff9b::7f00:1'],
  ['6to4', '2002:a9fe:a9fe::1'],
  ['6to4 of loopback', '2002:7f00:1::'],
  ['Teredo', '2001:0:a9fe:a9fe::'],
  ['NAT64 with a zone', '64:ff9b::a9fe:a9fe%lo'],
  ['link-local with a zone', 'FE80::1%eth0'],
  ['AWS over IPv6', 'fd00:ec2:0:0:0:0:0:254'],
  ['Google Cloud over IPv6', 'fd20:ce::254'],
  ['Alibaba Cloud', '100.100.100.200'],
  ['Alibaba Cloud by NAT64', '64:ff9b::100.100.100.200'],
  ['Azure', '168.63.129.16'],
  ['Oracle Cloud', '192.0.0.192'],
])('no spelling of a forbidden address is connected to: %s', async (_form, host) => {
  expect(() => checkHost(host)).toThrow('the address is not allowed');
  expect(await lookUp('evil.example', [host.replace(/^\[|\]$/g, '')])).toContain('not allowed');
});

test.each(['64:ff9b::a00:1', '2002:a00:1::1', '2001:db8::1', '2606:4700::1111', '100.100.100.201'])(
  'an address that is near a forbidden one may be connected to: %s',
  (host) => expect(() => checkHost(host)).not.toThrow(),
);

/** What a name that resolves to these addresses leads to. */
function lookUp(host: string, addresses: string[], all = true): Promise<string[] | string> {
  let questions = 0;
  const resolver = ((_host: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    expect(++questions).toBe(1);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as Parameters<typeof guardedLookup>[0];
  return new Promise((resolve) =>
    guardedLookup(resolver)(host, { all }, (error, found) => {
      if (error) resolve(error.message);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    }),
  );
}

test('a name is resolved once, and leads only where it may', async () => {
  expect(await lookUp('a.example', ['10.0.0.1', '169.254.169.254'])).toEqual(['10.0.0.1']);
  expect(await lookUp('a.example', ['10.0.0.1', '10.0.0.2'], false)).toEqual(['10.0.0.1']);
  expect(await lookUp('evil.example', ['169.254.169.254'])).toBe(
    'dial tcp 169.254.169.254: the address is not allowed',
  );
  expect(await lookUp('rebound.example', ['127.0.0.1'])).toContain('not allowed');
  expect(await lookUp('rebound.example', ['::ffff:127.0.0.1'])).toContain('not allowed');
  expect(await lookUp('localhost', ['127.0.0.1', '::1'])).toEqual(['127.0.0.1', '::1']);
});
