/** A part of a document, by its first and last byte. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Why there is no such part. `isPast`: it lies behind the end. */
interface NoRange {
  readonly problem: string;
  readonly isPast: boolean;
}

const MALFORMED: NoRange = { problem: 'invalid range', isPast: false };
const PAST: NoRange = { problem: 'invalid range: failed to overlap', isPast: true };

const DIGITS = /^\d*$/;

/** The part that a Range header asks for: `undefined` for all of it, which is also the answer to several parts. */
export function readRange(header: string | undefined, length: number): ByteRange | NoRange | undefined {
  if (!header) return undefined;
  if (!header.startsWith('bytes=')) return MALFORMED;
  if (header.includes(',')) return undefined;
  const dash = header.indexOf('-');
  if (dash < 0) return MALFORMED;
  const from = header.slice('bytes='.length, dash).trim();
  const to = header.slice(dash + 1).trim();
  if (!DIGITS.test(from) || !DIGITS.test(to)) return MALFORMED;
  if (from === '') return to === '' ? MALFORMED : lastBytes(Number(to), length);
  const first = Number(from);
  if (first >= length) return PAST;
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1);
  return first > last ? MALFORMED : { first, last };
}

function lastBytes(count: number, length: number): ByteRange | NoRange {
  return count === 0 ? PAST : { first: Math.max(0, length - count), last: length - 1 };
}
