/**
 * Orders the keys of a written map as Kubernetes' YAML library does: letters after everything else, and digits by the
 * number they form, so that `a2` comes before `a10`.
 */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    if (left.charCodeAt(at) !== right.charCodeAt(at)) return compareFrom(left, right, at);
  }
  return left.length - right.length;
}

/** `at` is where the two begin to differ. */
function compareFrom(left: string, right: string, at: number): number {
  const x = left.codePointAt(at)!;
  const y = right.codePointAt(at)!;
  const isLetterLeft = isLetter(x);
  if (isLetterLeft !== isLetter(y)) return isLetterLeft ? 1 : -1;
  if (isLetterLeft) return x - y;
  const prefix = x === ZERO || y === ZERO ? significantDigitBefore(left, at) : '';
  const a = prefix + digitsFrom(left, at);
  const b = prefix + digitsFrom(right, at);
  return compareNumbers(a, b) || a.length - b.length || x - y;
}

const ZERO = 0x30;

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /\p{L}/u.test(String.fromCodePoint(codePoint));
}

/** A zero counts only inside a number that has begun before. */
function significantDigitBefore(text: string, at: number): string {
  for (let index = at - 1; index >= 0 && isDigit(text.charCodeAt(index)); index--) {
    if (text.charCodeAt(index) !== ZERO) return '1';
  }
  return '';
}

function digitsFrom(text: string, at: number): string {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return text.slice(at, end);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** Decimal digits of any length, by value. */
function compareNumbers(left: string, right: string): number {
  const a = left.replace(/^0+/, '');
  const b = right.replace(/^0+/, '');
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
