import { Duration, parseGoDuration } from '../values/time.ts';

const hour = 3_600_000_000_000n;

const units: readonly (readonly [beginning: string, nanos: bigint])[] = [
  ['nano', 1n],
  ['ns', 1n],
  ['micro', 1_000n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['milli', 1_000_000n],
  ['ms', 1_000_000n],
  ['sec', 1_000_000_000n],
  ['s', 1_000_000_000n],
  ['min', 60_000_000_000n],
  ['m', 60_000_000_000n],
  ['hour', hour],
  ['hr', hour],
  ['h', hour],
  ['day', 24n * hour],
  ['d', 24n * hour],
  ['week', 7n * 24n * hour],
  ['wk', 7n * 24n * hour],
  ['w', 7n * 24n * hour],
];

/** Parses a duration of an OpenAPI schema: Go's format, or numbers with units, which add up (`2 days and 3 hours`). */
export function parseOpenApiDuration(text: string): Duration | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let sum: bigint | undefined;
  // A number without a unit matches too and is skipped: otherwise the search would restart at each of its digits.
  for (const [, count, word] of text.matchAll(/([0-9]+)\s*([A-Za-zµ]*)/g)) {
    if (word === '') continue;
    const digits = count!.replace(/^0+/, '');
    if (digits.length > maxInt64.length || (digits.length === maxInt64.length && digits > maxInt64)) return undefined;
    const unit = unitOf(word!.toLowerCase());
    if (unit !== undefined) sum = BigInt.asIntN(64, (sum ?? 0n) + BigInt(digits) * unit);
  }
  return sum === undefined ? undefined : new Duration(sum);
}

const maxInt64 = '9223372036854775807';

function unitOf(word: string): bigint | undefined {
  return units.find(([beginning]) => (beginning.length > 2 ? word.startsWith(beginning) : word === beginning))?.[1];
}
