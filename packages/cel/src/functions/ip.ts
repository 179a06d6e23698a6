import { quote } from '@pintle/machinery/errors';
import { cidrContains, formatCidr, type IpAddress, isIpv4InIpv6, parseCidr } from '@pintle/machinery/names';
import { BOOL, INT, opaqueType, STRING, type Type } from '../types/type.ts';
import { compareBytes } from '../values/equality.ts';
import { CelError, noSuchOverload, OpaqueValue, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';
import { formatAddress, parseAddress, parsePrefix } from './net-address.ts';

const IP = opaqueType('net.IP');
const CIDR = opaqueType('net.CIDR');

class Ip extends OpaqueValue {
  readonly type: Type = IP;
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && compareBytes(this.address.bytes, other.address.bytes) === 0;
  }

  override text(): string {
    return formatAddress(this.address);
  }

  override get size(): number {
    return this.address.bytes.length;
  }

  get family(): 4 | 6 {
    return this.address.bytes.length === 4 ? 4 : 6;
  }
}

class Cidr extends OpaqueValue {
  readonly type: Type = CIDR;
  readonly address: IpAddress;
  readonly prefixLength: number;

  constructor(address: IpAddress, prefixLength: number) {
    super();
    this.address = address;
    this.prefixLength = prefixLength;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && this.text() === other.text();
  }

  override text(): string {
    return `${formatAddress(this.address)}/${this.prefixLength}`;
  }

  override get size(): number {
    return Math.ceil(this.prefixLength / 8);
  }

  get masked(): Cidr {
    const { address } = parseCidr(formatCidr(this))!;
    return new Cidr(address, this.prefixLength);
  }
}

function toIp(text: string): Ip | CelError {
  const parsed = parseAddress(text);
  if ('problem' in parsed) {
    return new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${parsed.problem}`);
  }
  if (parsed.hasZone) return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  if (isIpv4InIpv6(parsed.address)) return new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return new Ip(parsed.address);
}

function toCidr(text: string): Cidr | CelError {
  const parsed = parsePrefix(text);
  const parsing = 'network address parse error during conversion from string:';
  if ('problem' in parsed) return new CelError(`${parsing} ${parsing} ${parsed.problem}`);
  if (isIpv4InIpv6(parsed.address)) {
    return new CelError(`${parsing} IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return new Cidr(parsed.address, parsed.prefixLength);
}

function isCanonical(text: string): Value {
  const ip = toIp(text);
  return ip instanceof CelError ? ip : ip.text() === text;
}

/** Declares a predicate on an address, with one function for each family. */
function property(id: string, of4: (bytes: Uint8Array) => boolean, of6: (bytes: Uint8Array) => boolean) {
  return member(id, [IP], BOOL, ({ address: { bytes }, family }: Ip) => (family === 4 ? of4(bytes) : of6(bytes)));
}

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const isLoopback6 = (bytes: Uint8Array) => bytes[15] === 1 && isZero(bytes.subarray(0, 15));
const isLinkLocal4 = (bytes: Uint8Array) => bytes[0] === 169 && bytes[1] === 254;
const isLinkLocal6 = (bytes: Uint8Array) => bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isBroadcast = (bytes: Uint8Array) => bytes.every((byte) => byte === 255);

function isGlobal4(bytes: Uint8Array): boolean {
  const isMulticast = (bytes[0]! & 0xf0) === 0xe0;
  return !isZero(bytes) && !isBroadcast(bytes) && bytes[0] !== 127 && !isMulticast && !isLinkLocal4(bytes);
}

function isGlobal6(bytes: Uint8Array): boolean {
  return !isZero(bytes) && !isLoopback6(bytes) && bytes[0] !== 0xff && !isLinkLocal6(bytes);
}

export const ipLibrary: Library = {
  name: 'kubernetes.net.ip',
  types: [IP],
  functions: [
    func('ip', global('string_to_ip', [STRING], IP, toIp)),
    func(
      'family',
      member('ip_family', [IP], INT, ({ family }: Ip) => family),
    ),
    func('ip.isCanonical', global('ip_is_canonical', [STRING], BOOL, isCanonical)),
    func('isUnspecified', property('ip_is_unspecified', isZero, isZero)),
    func(
      'isLoopback',
      property('ip_is_loopback', (bytes) => bytes[0] === 127, isLoopback6),
    ),
    func(
      'isLinkLocalMulticast',
      property(
        'ip_is_link_local_multicast',
        (bytes) => bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0,
        (bytes) => bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2,
      ),
    ),
    func('isLinkLocalUnicast', property('ip_is_link_local_unicast', isLinkLocal4, isLinkLocal6)),
    func('isGlobalUnicast', property('ip_is_global_unicast', isGlobal4, isGlobal6)),
    func(
      'isIP',
      global('is_ip', [STRING], BOOL, (text: string) => toIp(text) instanceof Ip),
    ),
    func(
      'string',
      global('ip_to_string', [IP], STRING, (ip: Ip) => ip.text()),
    ),
  ],
};

function containsIp(cidr: Cidr, other: Ip | CelError): Value {
  return other instanceof CelError ? other : cidrContains(cidr, other.address);
}

/** A string that is not an address is an argument of the wrong type. */
function containsText(cidr: Cidr, text: string): Value {
  const address = toIp(text);
  return address instanceof CelError ? noSuchOverload : containsIp(cidr, address);
}

function containsCidr(cidr: Cidr, other: Cidr | CelError): Value {
  if (other instanceof CelError) return other;
  return cidrContains(cidr, other.address) && cidr.prefixLength <= other.prefixLength;
}

export const cidrLibrary: Library = {
  name: 'kubernetes.net.cidr',
  types: [CIDR],
  functions: [
    func('cidr', global('string_to_cidr', [STRING], CIDR, toCidr)),
    func(
      'containsIP',
      member('cidr_contains_ip_string', [CIDR, STRING], BOOL, (cidr: Cidr, text: string) => containsText(cidr, text)),
      member('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp),
    ),
    func(
      'containsCIDR',
      member('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (cidr: Cidr, text: string) =>
        containsCidr(cidr, toCidr(text)),
      ),
      member('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr),
    ),
    func(
      'ip',
      member('cidr_ip', [CIDR], IP, ({ address }: Cidr) => new Ip(address)),
    ),
    func(
      'prefixLength',
      member('cidr_prefix_length', [CIDR], INT, ({ prefixLength }: Cidr) => prefixLength),
    ),
    func(
      'masked',
      member('cidr_masked', [CIDR], CIDR, ({ masked }: Cidr) => masked),
    ),
    func(
      'isCIDR',
      global('is_cidr', [STRING], BOOL, (text: string) => toCidr(text) instanceof Cidr),
    ),
    func(
      'string',
      global('cidr_to_string', [CIDR], STRING, (cidr: Cidr) => cidr.text()),
    ),
  ],
};
