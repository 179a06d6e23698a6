import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

type Range = readonly [address: string, bits: number];

/** Unspecified, link-local, metadata services of clouds, multicast and reserved addresses. */
const FORBIDDEN_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Metadata services outside 169.254.0.0/16: Alibaba Cloud, Azure, Oracle Cloud.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
];
const FORBIDDEN_IPV6: readonly Range[] = [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  // Metadata services: AWS, Google Cloud.
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  // Teredo obfuscates its IPv4 address.
  ['2001::', 32],
];
const LOOPBACK_IPV4: Range = ['127.0.0.0', 8];

/**
 * Addresses that this server never connects to for a name in an object. An IPv6 address that represents a forbidden IPv4
 * address is forbidden too: a gateway (NAT64, 6to4) would lead to it.
 */
const FORBIDDEN = blockList(
  ...FORBIDDEN_IPV4,
  ...FORBIDDEN_IPV6,
  ...[...FORBIDDEN_IPV4, LOOPBACK_IPV4].flatMap(translationsOf),
);
const LOOPBACK = blockList(LOOPBACK_IPV4, ['::1', 128]);

function blockList(...ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, familyOf(address));
  return list;
}

/** Returns the IPv6 ranges that represent an IPv4 range. `BlockList` handles the mapped form, `::ffff:0:0/96`. */
function translationsOf([address, bits]: Range): Range[] {
  const octets = address.split('.').map(Number);
  const [high, low] = [0, 2].map((at) => (octets[at]! * 256 + octets[at + 1]!).toString(16));
  const ranges: Range[] = [
    [`64:ff9b::${high}:${low}`, 96 + bits],
    [`64:ff9b:1::${high}:${low}`, 96 + bits],
    [`::ffff:0:${high}:${low}`, 96 + bits],
    [`2002:${high}:${low}::`, 16 + bits],
  ];
  // The deprecated compatible form of 0.0.0.0/8 would include ::1.
  return octets[0] === 0 ? ranges : [...ranges, [`::${high}:${low}`, 96 + bits]];
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

/** Returns why this address is forbidden for that host; `undefined` when it is allowed. Loopback needs a loopback host. */
function refusalOf(host: string, address: string): Error | undefined {
  const isForbidden =
    FORBIDDEN.check(address, familyOf(address)) || (LOOPBACK.check(address, familyOf(address)) && !isOwnMachine(host));
  return isForbidden ? new Error(`dial tcp ${address}: the address is not allowed`) : undefined;
}

function isOwnMachine(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost');
}

/** Throws when a host is a forbidden address. Names are checked when they are resolved. */
export function checkHost(host: string): void {
  const bare = host.replace(/^\[|\]$/g, '');
  const refusal = isIP(bare) === 0 ? undefined : refusalOf(bare, bare);
  if (refusal !== undefined) throw refusal;
}

/**
 * Resolves a name once and returns only allowed addresses. The socket connects to the checked address, so that a name that
 * changes afterwards has no effect.
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
