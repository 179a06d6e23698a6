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

/** A duration as schemas allow it: Go's form, or a number with a unit in words (`2 days`). */
export function parseOpenApiDuration(text: string): Duration | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  const match = /([0-9]{1,30})\s*([A-Za-zµ]+)/.exec(text);
  if (match === null) return undefined;
  const word = match[2]!.toLowerCase();
  const unit = units.find(([beginning]) => (beginning.length > 2 ? word.startsWith(beginning) : word === beginning));
  const duration = unit && Duration.of(BigInt(match[1]!) * unit[1]);
  return duration instanceof Duration ? duration : undefined;
}
