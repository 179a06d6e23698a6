/** An address as its bytes: 4 or 16. */
export interface IpAddress {
  readonly bytes: Uint8Array;
  /** A number has leading zeros, as in `010.0.0.1`, which some software reads as octal. */
  readonly hasLeadingZeros: boolean;
}

/**
 * Reads an IPv4 or IPv6 address. Accepts leading zeros, as Kubernetes does in fields that are older than its strict
 * rules, and reports them in `hasLeadingZeros`. Refuses zones, as in `fe80::1%eth0`.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > 100) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** Returns 4 or 6; an IPv4 address inside an IPv6 one, such as `::ffff:10.0.0.1`, is of family 4, as in Go. */
export function ipFamilyOf(address: IpAddress): 4 | 6 {
  return address.bytes.length === 4 || isIpv4InIpv6(address) ? 4 : 6;
}

/** True for an IPv4-mapped IPv6 address: `::ffff:10.0.0.1`. */
export function isIpv4InIpv6({ bytes }: IpAddress): boolean {
  return (
    bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** Returns the canonical text (RFC 5952); IPv4 addresses inside IPv6 ones are written as IPv4. */
export function formatIp(address: IpAddress): string {
  const { bytes } = address;
  if (bytes.length === 4) return bytes.join('.');
  if (isIpv4InIpv6(address)) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (bytes[index * 2]! << 8) | bytes[index * 2 + 1]!);
  const zeros = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

export function isValidIp(text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && !address.hasLeadingZeros && !isIpv4InIpv6(address);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^[0-9]+$/.test(part))) return undefined;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > 255)) return undefined;
  return { bytes: Uint8Array.from(numbers), hasLeadingZeros: parts.some((part) => part.length > 1 && part[0] === '0') };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const left = parseGroups(halves[0]!, halves.length === 1);
  const right = halves.length === 1 ? emptyGroups : parseGroups(halves[1]!, true);
  if (left === undefined || right === undefined) return undefined;
  const missing = 16 - left.bytes.length - right.bytes.length;
  // A `::` stands for at least one group.
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return {
    bytes: Uint8Array.from([...left.bytes, ...new Array<number>(missing).fill(0), ...right.bytes]),
    hasLeadingZeros: left.hasLeadingZeros || right.hasLeadingZeros,
  };
}

interface Groups {
  readonly bytes: readonly number[];
  readonly hasLeadingZeros: boolean;
}

const emptyGroups: Groups = { bytes: [], hasLeadingZeros: false };

/** Reads groups between colons; only the last of the whole address may be written as IPv4. */
function parseGroups(text: string, isLast: boolean): Groups | undefined {
  if (text === '') return emptyGroups;
  const bytes: number[] = [];
  let hasLeadingZeros = false;
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const isIpv4 = isLast && index === parts.length - 1 && part.includes('.');
    const group = isIpv4 ? parseIpv4(part) : parseGroup(part);
    if (group === undefined) return undefined;
    bytes.push(...group.bytes);
    hasLeadingZeros ||= group.hasLeadingZeros;
  }
  return { bytes, hasLeadingZeros };
}

function parseGroup(part: string): Groups | undefined {
  if (!/^[0-9a-fA-F]+$/.test(part)) return undefined;
  const value = Number.parseInt(part, 16);
  return value > 0xffff ? undefined : { bytes: [value >> 8, value & 0xff], hasLeadingZeros: part.length > 4 };
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
