import { table } from '../table/table.ts';
import { ProtobufError } from './protobuf-error.ts';

const SECOND = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = table({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3_600n * SECOND,
});

/** Formats nanoseconds as Go does: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 1_000n)}µs`;
  if (nanoseconds < SECOND) return `${decimal(nanoseconds, 1_000_000n)}ms`;
  const minutes = nanoseconds / (60n * SECOND);
  const seconds = `${decimal(nanoseconds % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

const durationPattern = /^([+-])?((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;

/** Reads what Go reads: signed decimals with units, or `0` without one. */
export function parseDuration(text: string): number | bigint {
  if (text === '0') return 0;
  if (text.length > 100 || !durationPattern.test(text)) throw badDuration(text);
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const size = units[unit]!;
    total += BigInt(whole || 0) * size + (BigInt(fraction || 0) * size) / 10n ** BigInt(fraction.length);
  }
  const signed = text.startsWith('-') ? -total : total;
  if (BigInt.asIntN(64, signed) !== signed) throw badDuration(text);
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

function badDuration(text: string): ProtobufError {
  return new ProtobufError({
    code: 'BadValue',
    field: 'duration',
    reason: `"${text.slice(0, 100)}" is not a duration`,
  });
}
