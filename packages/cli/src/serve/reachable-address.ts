import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const own = new BlockList();
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addAddress('::1', 'ipv6');
own.addAddress('0.0.0.0', 'ipv4');
own.addAddress('::', 'ipv6');

/**
 * Returns the address at which others reach a server that listens on `host`: that address or, for loopback and wildcard
 * addresses, the first external address of the machine. `undefined` when it has none.
 */
export function reachableAddress(
  host: string,
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): string | undefined {
  const family = isIP(host);
  if (family !== 0 && !own.check(host, family === 6 ? 'ipv6' : 'ipv4')) return host;
  const outside = Object.values(interfaces).flatMap((found) => found?.filter(({ internal }) => !internal) ?? []);
  const routed = outside.filter(({ family: kind, scopeid }) => kind === 'IPv4' || !scopeid);
  return (routed.find(({ family: kind }) => kind === 'IPv4') ?? routed[0])?.address;
}
