import type { IpAddress } from './ip.ts';
import { formatIp, isIpv4InIpv6, parseIp } from './ip.ts';

/** A range of addresses, or an address with the length of its prefix. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefixLength: number;
  /** The address or the length has leading zeros. */
  readonly hasLeadingZeros: boolean;
}

/** Reads `10.0.0.0/8` or `2001:db8::/32`, as tolerant as `parseIp`. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash === -1) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (address === undefined || length.length > 10 || !/^[0-9]+$/.test(length)) return undefined;
  const prefixLength = Number(length);
  if (prefixLength > address.bytes.length * 8) return undefined;
  const hasLeadingZeros = address.hasLeadingZeros || (length.length > 1 && length[0] === '0');
  return { address, prefixLength, hasLeadingZeros };
}

export function isValidCidr(text: string): boolean {
  const cidr = parseCidr(text);
  return cidr !== undefined && !cidr.hasLeadingZeros && !isIpv4InIpv6(cidr.address) && !hasHostBits(cidr);
}

/** True when bits are set beyond the prefix, as in `10.0.0.1/8`. */
export function hasHostBits({ address, prefixLength }: Cidr): boolean {
  const network = networkOf({ address, prefixLength });
  return network.bytes.some((byte, index) => byte !== address.bytes[index]);
}

/** Returns the range in its canonical text, without bits beyond the prefix. */
export function formatCidr(cidr: Pick<Cidr, 'address' | 'prefixLength'>): string {
  return `${formatIp(networkOf(cidr))}/${shownPrefixLength(cidr)}`;
}

/** Returns an address with the length of its prefix, every bit kept: `10.0.0.1/8`. */
export function formatInterfaceAddress(cidr: Pick<Cidr, 'address' | 'prefixLength'>): string {
  return `${formatIp(cidr.address)}/${shownPrefixLength(cidr)}`;
}

export function cidrContains(cidr: Pick<Cidr, 'address' | 'prefixLength'>, address: IpAddress): boolean {
  if (cidr.address.bytes.length !== address.bytes.length) return false;
  const network = networkOf(cidr).bytes;
  return networkOf({ address, prefixLength: cidr.prefixLength }).bytes.every((byte, index) => byte === network[index]);
}

function networkOf({ address, prefixLength }: Pick<Cidr, 'address' | 'prefixLength'>): IpAddress {
  const bytes = address.bytes.map((byte, index) => byte & maskOf(prefixLength - index * 8));
  return { bytes, hasLeadingZeros: false };
}

function maskOf(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff << (8 - bits);
}

/** An IPv4 address inside an IPv6 one is printed as IPv4, so its prefix length counts from there. */
function shownPrefixLength({ address, prefixLength }: Pick<Cidr, 'address' | 'prefixLength'>): number {
  return isIpv4InIpv6(address) && prefixLength >= 96 ? prefixLength - 96 : prefixLength;
}
