import type { FieldError } from '../errors/field-error.ts';
import { invalid } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { quote } from '../errors/quote.ts';
import { formatCidr, formatInterfaceAddress, hasHostBits, parseCidr } from './cidr.ts';
import type { IpAddress } from './ip.ts';
import { formatIp, isIpv4InIpv6, parseIp } from './ip.ts';

/** For fields that accept an address in canonical form only, as all newer ones do. */
export function validateIp(value: string, path: FieldPath | string): FieldError[] {
  const errors = validateLegacyIp(value, path);
  if (errors.length > 0) return errors;
  const canonical = formatIp(parseIp(value)!);
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** For older fields: accepts any form of an address that no software reads in two ways. */
export function validateLegacyIp(value: string, path: FieldPath | string): FieldError[] {
  const address = parseIp(value);
  if (address === undefined)
    return [invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  if (address.hasLeadingZeros) return [invalid(path, value, 'must not have leading 0s')];
  if (isIpv4InIpv6(address)) return [invalid(path, value, 'must not be an IPv4-mapped IPv6 address')];
  return [];
}

/** For fields that accept a range in canonical form only. */
export function validateCidr(value: string, path: FieldPath | string): FieldError[] {
  const errors = validateLegacyCidr(value, path);
  if (errors.length > 0) return errors;
  const canonical = formatCidr(parseCidr(value)!);
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

export function validateLegacyCidr(value: string, path: FieldPath | string): FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined)
    return [invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  if (cidr.hasLeadingZeros) return [invalid(path, value, 'must not have leading 0s in IP or prefix length')];
  if (isIpv4InIpv6(cidr.address)) return [invalid(path, value, 'must not have an IPv4-mapped IPv6 address')];
  if (hasHostBits(cidr)) return [invalid(path, value, 'must not have bits set beyond the prefix length')];
  return [];
}

/** `192.168.1.5/24`: an address with the length of its prefix, in canonical form. */
export function validateInterfaceAddress(value: string, path: FieldPath | string): FieldError[] {
  const cidr = parseCidr(value);
  if (cidr === undefined)
    return [invalid(path, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const canonical = formatInterfaceAddress(cidr);
  return value === canonical ? [] : [invalid(path, value, `must be in canonical form (${quote(canonical)})`)];
}

/** Returns warnings about an address that is valid but not in canonical form. The caller has validated it. */
export function warningsForIp(value: string, path: FieldPath | string): string[] {
  const address = parseIp(value);
  if (address === undefined) return [];
  const canonical = formatIp(address);
  if (isAmbiguous(address))
    return [`${path}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
  if (address.bytes.length === 4 || value === canonical) return [];
  return [`${path}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** As `warningsForIp`, for ranges. */
export function warningsForCidr(value: string, path: FieldPath | string): string[] {
  const cidr = parseCidr(value);
  if (cidr === undefined) return [];
  const canonical = formatCidr(cidr);
  const warnings: string[] = [];
  if (hasHostBits(cidr)) {
    const single = `${formatIp(cidr.address)}/${cidr.address.bytes.length * 8}`;
    warnings.push(
      `${path}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (cidr.hasLeadingZeros || isAmbiguous(cidr.address))
    warnings.push(`${path}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  if (warnings.length === 0 && cidr.address.bytes.length === 16 && value !== canonical)
    warnings.push(
      `${path}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`,
    );
  return warnings;
}

function isAmbiguous(address: IpAddress): boolean {
  return address.hasLeadingZeros || isIpv4InIpv6(address);
}
