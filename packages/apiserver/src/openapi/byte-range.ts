/** A part of a document, by its first and last byte. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Reason why a range is refused. `isPast` when it begins after the end. */
interface RangeProblem {
  readonly problem: string;
  readonly isPast: boolean;
}

const MALFORMED: RangeProblem = { problem: 'invalid range', isPast: false };
const PAST: RangeProblem = { problem: 'invalid range: failed to overlap', isPast: true };

const DIGITS = /^\d*$/;

/** Parses a Range header; `undefined` for the whole document, also for several ranges. */
export function readRange(header: string | undefined, length: number): ByteRange | RangeProblem | undefined {
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

function lastBytes(count: number, length: number): ByteRange | RangeProblem {
  return count === 0 ? PAST : { first: Math.max(0, length - count), last: length - 1 };
}
