import type { EndpointDependencies } from '@pintle/apiserver/resource';
import { collectionRange, decodeObject } from '@pintle/apiserver/storage';
import type { Random } from '@pintle/async';
import type { ServiceCIDR } from '@pintle/kinds/networking/v1';
import type { Cidr } from '@pintle/machinery/names';
import { cidrContains, formatIp, ipFamilyOf, parseCidr, parseIp } from '@pintle/machinery/names';

const RANGES = { group: 'networking.k8s.io', resource: 'servicecidrs' };
/** Offsets of a range that are used at most. */
const MAX_OFFSETS = 2 ** 30;
const RANDOM_TRIES = 16;

/** Numbers to choose from. Those below `dynamic` are left for explicit requests, as long as there are others. */
export interface NumberRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly dynamic: number;
}

/** Addresses of one range, as offsets from its first. */
export interface AddressRange extends NumberRange {
  readonly family: 'IPv4' | 'IPv6';
  /** As written: `10.0.0.0/24`. */
  readonly cidr: string;
  at(offset: number): string;
  /** True for an address in the range that a service can have. */
  offers(address: string): boolean;
}

/** Returns the ranges of service addresses, the oldest first. */
export async function serviceRanges({ store }: EndpointDependencies): Promise<AddressRange[]> {
  const { records } = await store.range(collectionRange(RANGES, ''));
  return [...records]
    .sort((a, b) => a.createRevision - b.createRevision)
    .map((record) => decodeObject(record, 'ServiceCIDR') as ServiceCIDR)
    .filter(isReady)
    .flatMap(({ spec }) => (spec?.cidrs ?? []).flatMap(readRange));
}

function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

function readRange(text: string): AddressRange[] {
  const cidr = parseCidr(text);
  return cidr === undefined ? [] : [addressRange(text, cidr)];
}

/** Excludes the first address of a range and, in IPv4, the last one: network and broadcast. */
function addressRange(text: string, cidr: Cidr): AddressRange {
  const family = ipFamilyOf(cidr.address) === 6 ? 'IPv6' : 'IPv4';
  const size = Math.min(2 ** (cidr.address.bytes.length * 8 - cidr.prefixLength), MAX_OFFSETS);
  const last = family === 'IPv4' ? size - 2 : size - 1;
  const reserved = Math.min(Math.max(16, Math.floor(size / 16)), 256);
  const at = (offset: number) => formatIp({ bytes: plus(cidr.address.bytes, offset), hasLeadingZeros: false });
  return {
    family,
    cidr: text,
    first: 1,
    last,
    dynamic: reserved < last ? reserved + 1 : 1,
    at,
    offers: (text) => {
      const address = parseIp(text);
      if (address === undefined || !cidrContains(cidr, address)) return false;
      const shown = formatIp(address);
      return shown !== at(0) && (family === 'IPv6' || shown !== at(size - 1));
    },
  };
}

function plus(bytes: Uint8Array, offset: number): Uint8Array {
  const sum = Uint8Array.from(bytes);
  let carry = offset;
  for (let i = sum.length - 1; i >= 0 && carry > 0; i--) {
    const value = sum[i]! + (carry % 256);
    sum[i] = value % 256;
    carry = Math.floor(carry / 256) + (value > 255 ? 1 : 0);
  }
  return sum;
}

/**
 * Returns a free number: a random one if that is found soon, else the next free one; `undefined` when all are taken.
 */
export async function chooseFree(
  random: Random,
  { first, last, dynamic }: NumberRange,
  isFree: (candidate: number) => Promise<boolean>,
): Promise<number | undefined> {
  for (let attempt = 0; attempt < RANDOM_TRIES; attempt++) {
    const candidate = dynamic + random.below(last - dynamic + 1);
    if (await isFree(candidate)) return candidate;
  }
  for (let candidate = dynamic; candidate <= last; candidate++) if (await isFree(candidate)) return candidate;
  for (let candidate = first; candidate < dynamic; candidate++) if (await isFree(candidate)) return candidate;
  return undefined;
}
