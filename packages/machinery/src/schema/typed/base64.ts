/** The same bytes in canonical base64, or the character at which Go's decoder fails. Line breaks are skipped. */
type Base64Result = { readonly canonical: string } | { readonly corruptAt: number };

export function canonicalBase64(text: string): Base64Result {
  if (text.length % 4 === 0 && plain.test(text)) return { canonical: text };
  const corruptAt = findCorruption(text);
  return corruptAt === undefined ? { canonical: recode(text) } : { corruptAt };
}

/** Whole groups without padding are canonical if all characters are of the alphabet. */
const plain = /^[A-Za-z0-9+/]*$/;

function findCorruption(text: string): number | undefined {
  let inGroup = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (isLineBreak(character)) continue;
    if (character === '=') return checkPadding(text, at, inGroup);
    if (!plain.test(character)) return at;
    inGroup = (inGroup + 1) % 4;
  }
  return inGroup === 0 ? undefined : text.length - inGroup;
}

function checkPadding(text: string, at: number, inGroup: number): number | undefined {
  if (inGroup < 2) return at;
  let end = skipLineBreaks(text, at + 1);
  if (inGroup === 2) {
    if (end === text.length) return text.length;
    if (text[end] !== '=') return end - 1;
    end = skipLineBreaks(text, end + 1);
  }
  return end < text.length ? end : undefined;
}

function skipLineBreaks(text: string, start: number): number {
  let at = start;
  while (at < text.length && isLineBreak(text[at]!)) at++;
  return at;
}

function isLineBreak(character: string): boolean {
  return character === '\n' || character === '\r';
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Clears the unused bits of the last character. */
function recode(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  const digits = compact.replace(/=+$/, '');
  const spareBits = digits.length % 4 === 2 ? 4 : digits.length % 4 === 3 ? 2 : 0;
  const last = alphabet.indexOf(digits.slice(-1));
  const cleared = alphabet[(last >> spareBits) << spareBits] ?? '';
  return digits.slice(0, -1) + cleared + compact.slice(digits.length);
}
