import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Addresses that a name in an object never leads this server to: those of the machine's own link, where clouds answer
 * with credentials, those of nobody and of everybody.
 */
const FORBIDDEN = blockList(
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
);
const LOOPBACK = blockList(['127.0.0.0', 8], ['::1', 128]);

function blockList(...ranges: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, familyOf(address));
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Why this address is not connected to for that host; `undefined` when it is. Loopback is for those who say so. */
function refusalOf(host: string, address: string): Error | undefined {
  const isForbidden =
    FORBIDDEN.check(address, familyOf(address)) || (LOOPBACK.check(address, familyOf(address)) && !isOwnMachine(host));
  return isForbidden ? new Error(`dial tcp ${address}: the address is not allowed`) : undefined;
}

function isOwnMachine(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost');
}

/** Throws when a host that is an address must not be connected to. Names are looked at when they are resolved. */
export function checkHost(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  const refusal = isIP(bare) === 0 ? undefined : refusalOf(bare, bare);
  if (refusal !== undefined) throw refusal;
}

/**
 * Resolves a name once and lets through only addresses that may be connected to. The socket connects to what was looked
 * at here: a name that means something else a moment later changes nothing.
 */
export function guardedLookup(resolve: typeof resolveName = resolveName): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const allowed = found.filter(({ address }) => refusalOf(host, address) === undefined);
      const [first] = allowed;
      if (first === undefined) {
        const refusal = refusalOf(host, found[0]?.address ?? '0.0.0.0');
        return callback(refusal ?? null, '');
      }
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}
