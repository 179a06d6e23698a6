/** Accepts an address of either family that is written with dots; leading zeros are allowed, as before Go 1.17. */
export function isIpv4(text: string): boolean {
  return (
    text.includes('.') && (isDottedQuad(text, { leadingZeros: true }) || isIpv6Groups(text, { leadingZeros: true }))
  );
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && isIpv6Groups(text, { leadingZeros: false });
}

/** Accepts an address and the length of a prefix; host bits may be set. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const isV4 = isDottedQuad(address, { leadingZeros: true });
  if (!isV4 && !isIpv6Groups(address, { leadingZeros: true })) return false;
  const bits = text.slice(slash + 1);
  return /^[0-9]{1,8}$/.test(bits) && Number(bits) <= (isV4 ? 32 : 128);
}

/** Accepts 6, 8 or 20 bytes, in pairs joined by colons or dashes, or in fours joined by dots. */
export function isMac(text: string): boolean {
  return macPatterns.some((pattern) => pattern.test(text));
}

const macPatterns: readonly RegExp[] = [
  /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i,
  /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){6}[0-9a-f]{2}$/i,
  /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){18}[0-9a-f]{2}$/i,
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}$/i,
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){3}$/i,
  /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){9}$/i,
];

interface Leniency {
  readonly leadingZeros: boolean;
}

function isDottedQuad(text: string, { leadingZeros }: Leniency): boolean {
  const parts = text.split('.', 5);
  if (parts.length !== 4) return false;
  return parts.every((part) => {
    if (!/^[0-9]+$/.test(part) || Number(part) > 255) return false;
    return leadingZeros || part.length === 1 || part[0] !== '0';
  });
}

/** Eight groups of hex digits; `::` stands once for one or more groups of zeros; the last two may be a dotted quad. */
function isIpv6Groups(text: string, leniency: Leniency): boolean {
  const halves = text.split('::', 3);
  if (halves.length > 2) return false;
  const [head = '', tail] = halves;
  const before = countGroups(head, tail === undefined, leniency);
  if (tail === undefined) return head !== '' && before === 8;
  const after = countGroups(tail, true, leniency);
  return before !== undefined && after !== undefined && before + after <= 7;
}

function countGroups(text: string, isEnd: boolean, leniency: Leniency): number | undefined {
  if (text === '') return 0;
  const groups = text.split(':', 9);
  const last = groups[groups.length - 1]!;
  const hasQuad = isEnd && last.includes('.');
  if (hasQuad && !isDottedQuad(last, leniency)) return undefined;
  const hex = hasQuad ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return hex.length + (hasQuad ? 2 : 0);
}
