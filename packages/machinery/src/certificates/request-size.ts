/** Largest certificate request that is read, in bytes. The largest keys and signatures in use take 8 KiB. */
const MAX_BYTES = 32 * 1024;
/** Most ASN.1 values that a request may have. A usual one has about 30, and one more for each alternative name. */
const MAX_VALUES = 256;

/** Returns why a certificate request in DER is too large to be read; `undefined` when it is not. Costs next to nothing. */
export function requestSizeProblem(der: Uint8Array): string | undefined {
  if (der.length > MAX_BYTES) return `must have at most ${MAX_BYTES} bytes`;
  return countValues(der, MAX_VALUES) > MAX_VALUES ? `must have at most ${MAX_VALUES} ASN.1 values` : undefined;
}

const CONSTRUCTED = 0x20;
const OCTET_STRING = 0x04;
const MANY_BYTES = 0x1f;

/** Counts the values in `der`, nested ones included. Stops counting after `max`. */
function countValues(der: Uint8Array, max: number): number {
  let count = 0;
  for (let at = 0; at < der.length && count <= max; ) {
    const { tag, start, end } = headerAt(der, at);
    count++;
    // Extensions are values inside of octet strings.
    if (tag === OCTET_STRING) count += countValues(der.subarray(start, end), max - count);
    at = tag & CONSTRUCTED ? start : end;
  }
  return count;
}

/**
 * Returns the tag of the value at `at` and where its contents begin and end. Contents of indefinite length end with the
 * bytes.
 */
function headerAt(der: Uint8Array, at: number): { tag: number; start: number; end: number } {
  const tag = der[at]!;
  let start = at + 1;
  if ((tag & MANY_BYTES) === MANY_BYTES) while (der[start++]! & 0x80);
  const size = der[start++] ?? 0;
  if (size < 0x80) return { tag, start, end: start + size };
  const digits = der.subarray(start, start + (size & 0x7f));
  start += digits.length;
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  return { tag, start, end: digits.length === 0 ? der.length : start + length };
}
