import { table } from '@pintle/machinery/table';
import { UsageError } from './usage-error.ts';

const UNITS_MS: Readonly<Record<string, number>> = table({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 });

/** Milliseconds of a time such as 90s or 5m; a number alone means seconds. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6}(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = amount === undefined ? Number.NaN : Number(amount) * UNITS_MS[unit]!;
  if (!(ms > 0)) throw new UsageError(`${JSON.stringify(text)} is no length of time: say 90s or 5m`);
  return ms;
}
