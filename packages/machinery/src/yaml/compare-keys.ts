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

/** Compares from `at`, where the two begin to differ. */
function compareFrom(left: string, right: string, at: number): number {
  const x = left.codePointAt(at)!;
  const y = right.codePointAt(at)!;
  const isLetterLeft = isLetter(x);
  if (isLetterLeft !== isLetter(y)) return isLetterLeft ? 1 : -1;
  if (isLetterLeft) return x - y;
  const isInside = (x === ZERO || y === ZERO) && followsNumber(left, at);
  return compareNumbers(left, right, at, isInside) || x - y;
}

const ZERO = 0x30;

function isLetter(codePoint: number): boolean {
  if (codePoint < 0x80) return (codePoint | 0x20) >= 0x61 && (codePoint | 0x20) <= 0x7a;
  return /\p{L}/u.test(String.fromCodePoint(codePoint));
}

/** True when a number has begun before: then zeros count. */
function followsNumber(text: string, at: number): boolean {
  for (let index = at - 1; index >= 0 && isDigit(text.charCodeAt(index)); index--) {
    if (text.charCodeAt(index) !== ZERO) return true;
  }
  return false;
}

/** Compares decimal digits of any length by value; of equal values the shorter text comes first. */
function compareNumbers(left: string, right: string, at: number, isInside: boolean): number {
  const leftStart = isInside ? at : skipZeros(left, at);
  const rightStart = isInside ? at : skipZeros(right, at);
  const leftEnd = skipDigits(left, leftStart);
  const rightEnd = skipDigits(right, rightStart);
  const length = leftEnd - leftStart;
  if (length !== rightEnd - rightStart) return length - (rightEnd - rightStart);
  for (let index = 0; index < length; index++) {
    const difference = left.charCodeAt(leftStart + index) - right.charCodeAt(rightStart + index);
    if (difference !== 0) return difference;
  }
  return leftEnd - rightEnd;
}

function skipZeros(text: string, at: number): number {
  let index = at;
  while (text.charCodeAt(index) === ZERO) index++;
  return index;
}

function skipDigits(text: string, at: number): number {
  let index = at;
  while (isDigit(text.charCodeAt(index))) index++;
  return index;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}
