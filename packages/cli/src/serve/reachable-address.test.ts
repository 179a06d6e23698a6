import { expect, test } from 'vitest';
import { reachableAddress } from './reachable-address.ts';

type Interfaces = NonNullable<Parameters<typeof reachableAddress>[1]>;

function found(address: string, { internal = false, scopeid = 0 } = {}) {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  return { address, family, internal, netmask: '', mac: '', cidr: null, ...(family === 'IPv6' && { scopeid }) };
}

const interfaces = {
  lo: [found('127.0.0.1', { internal: true }), found('::1', { internal: true })],
  eth0: [found('fe80::1', { scopeid: 2 }), found('2001:db8::7'), found('192.0.2.7')],
} as Interfaces;

test.each([
  ['198.51.100.1', '198.51.100.1'],
  ['127.0.0.1', '192.0.2.7'],
  ['127.9.9.9', '192.0.2.7'],
  ['0.0.0.0', '192.0.2.7'],
  ['::', '192.0.2.7'],
  ['localhost', '192.0.2.7'],
])('a server on %s is reached at %s', (host, address) => expect(reachableAddress(host, interfaces)).toBe(address));

test('a machine may have no address that leads to it, or only one of the newer family', () => {
  expect(reachableAddress('127.0.0.1', { lo: interfaces.lo! })).toBeUndefined();
  const [linkLocal, global] = interfaces.eth0!;
  expect(reachableAddress('::1', { eth0: [linkLocal!, global!] })).toBe('2001:db8::7');
});
