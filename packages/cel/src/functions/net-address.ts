import { quote } from '@pintle/machinery/errors';
import { formatIp, type IpAddress, isIpv4InIpv6, parseIp } from '@pintle/machinery/names';

/** An address, or the parse error of Go's `net/netip`. */
type AddressResult = { readonly address: IpAddress; readonly hasZone: boolean } | { readonly problem: string };

export function parseAddress(text: string): AddressResult {
  const fail = (message: string): AddressResult => ({ problem: `ParseAddr(${quote(text)}): ${message}` });
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === '%') return fail('missing IPv6 address');
  if (sign === undefined) return fail('unable to parse IP');
  const percent = text.indexOf('%');
  const hasZone = sign === ':' && percent >= 0;
  if (hasZone && percent === text.length - 1) return fail('zone must be a non-empty string');
  const plain = hasZone ? text.slice(0, percent) : text;
  const address = parseIp(plain);
  if (address !== undefined && !address.hasLeadingZeros) return { address, hasZone };
  return fail(sign === '.' ? ipv4Problem(plain) : ipv6Problem(plain));
}

function ipv4Problem(text: string): string {
  let fields = 0;
  let digits = '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (/[0-9]/.test(character)) {
      if (digits === '0') return 'IPv4 field has octet with leading zero';
      digits += character;
      if (Number(digits) > 255) return 'IPv4 field has value >255';
    } else if (character === '.') {
      if (digits === '' || at === text.length - 1)
        return `IPv4 field must have at least one digit (at ${quote(text.slice(at))})`;
      if (fields === 3) return 'IPv4 address too long';
      fields++;
      digits = '';
    } else return `unexpected character (at ${quote(text.slice(at))})`;
  }
  return 'IPv4 address too short';
}

function ipv6Problem(text: string): string {
  let rest = text.startsWith('::') ? text.slice(2) : text;
  let hasEllipsis = text.startsWith('::');
  let groups = 0;
  while (groups < 8 && rest !== '') {
    const digits = /^[0-9a-fA-F]*/.exec(rest)![0];
    if (digits.length > 4) return `each group must have 4 or less digits (at ${quote(rest)})`;
    if (digits === '') return `each colon-separated field must have at least one digit (at ${quote(rest)})`;
    if (rest[digits.length] === '.') return ipv4Problem(rest);
    groups++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') return `unexpected character, want colon (at ${quote(rest)})`;
    if (rest === ':') return 'colon must be followed by more characters (at ":")';
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (hasEllipsis) return `multiple :: in address (at ${quote(rest)})`;
    hasEllipsis = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return `trailing garbage after address (at ${quote(rest)})`;
  return hasEllipsis ? 'the :: must expand to at least one field of zeros' : 'address string too short';
}

type PrefixResult = { readonly address: IpAddress; readonly prefixLength: number } | { readonly problem: string };

export function parsePrefix(text: string): PrefixResult {
  const fail = (message: string): PrefixResult => ({ problem: `netip.ParsePrefix(${quote(text)}): ${message}` });
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fail("no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if ('problem' in parsed) return fail(parsed.problem);
  if (parsed.hasZone) return fail('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]{0,9})$/.test(bits)) return fail(`bad bits after slash: ${quote(bits)}`);
  if (Number(bits) > parsed.address.bytes.length * 8) return fail('prefix length out of range');
  return { address: parsed.address, prefixLength: Number(bits) };
}

/** Formats an address canonically. Unlike elsewhere in Kubernetes, an IPv4 address within an IPv6 address stays so. */
export function formatAddress(address: IpAddress): string {
  return isIpv4InIpv6(address) ? `::ffff:${formatIp(address)}` : formatIp(address);
}
