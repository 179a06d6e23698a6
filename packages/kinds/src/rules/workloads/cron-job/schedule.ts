import { quote } from '@pintle/machinery/errors';
import { parseDuration } from '@pintle/machinery/time';
import { isTimeZone } from './time-zone.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const descriptors = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const maxInt64 = 2n ** 63n - 1n;

/** Minute, hour, day of month, month and day of week, or a word for them. Gives what is wrong, if anything. */
export function scheduleProblem(schedule: string): string | undefined {
  const zoned = /^(?:CRON_)?TZ=/.test(schedule) ? splitZone(schedule) : { text: schedule };
  if ('problem' in zoned) return zoned.problem;
  if (zoned.text.startsWith('@')) return descriptorProblem(zoned.text);
  const parts = zoned.text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length)
    return `expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  return firstProblem(parts, (part, index) => fieldProblem(part, fields[index]!));
}

function splitZone(schedule: string): { readonly text: string } | { readonly problem: string } {
  const space = schedule.indexOf(' ');
  if (space === -1) return { problem: 'invalid schedule format: runtime error: slice bounds out of range' };
  const zone = schedule.slice(schedule.indexOf('=') + 1, space);
  if (zone !== '' && !isTimeZone(zone)) return { problem: `provided bad location ${zone}: unknown time zone ${zone}` };
  return { text: schedule.slice(space).trim() };
}

function descriptorProblem(descriptor: string): string | undefined {
  if (descriptors.includes(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseDuration(descriptor.slice('@every '.length));
    return undefined;
  } catch (error) {
    return `failed to parse duration ${descriptor}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function fieldProblem(field: string, bounds: Bounds): string | undefined {
  return firstProblem(
    field.split(',').filter((range) => range !== ''),
    (range) => rangeProblem(range, bounds),
  );
}

/** `5`, `1-5` or a star, each perhaps with a step, as in `0-30/15`. */
function rangeProblem(expression: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...slashes] = expression.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? { number: BigInt(bounds.min) } : readNumber(low, bounds.names);
  if ('problem' in start) return start.problem;
  if (!isStar && hyphens.length > 0) return `too many hyphens: ${expression}`;
  const last = isStar ? { number: BigInt(bounds.max) } : high === undefined ? start : readNumber(high, bounds.names);
  if ('problem' in last) return last.problem;
  if (slashes.length > 0) return `too many slashes: ${expression}`;
  const stride = step === undefined ? { number: 1n } : readNumber(step, undefined);
  if ('problem' in stride) return stride.problem;
  const end = step !== undefined && high === undefined ? BigInt(bounds.max) : last.number;
  return boundsProblem(start.number, end, stride.number, bounds, expression);
}

function boundsProblem(
  start: bigint,
  end: bigint,
  step: bigint,
  { min, max }: Bounds,
  text: string,
): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${text}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return step === 0n ? `step of range should be a positive number: ${text}` : undefined;
}

function readNumber(
  text: string,
  names: readonly string[] | undefined,
): { readonly number: bigint } | { readonly problem: string } {
  const position = names?.indexOf(text.toLowerCase()) ?? -1;
  if (position >= 0) return { number: BigInt(position + (names!.length === 12 ? 1 : 0)) };
  if (!/^[+-]?\d+$/.test(text))
    return { problem: `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: invalid syntax` };
  const number = BigInt(text.replace('+', ''));
  if (number > maxInt64)
    return { problem: `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: value out of range` };
  return number < 0n ? { problem: `negative number (${number}) not allowed: ${text}` } : { number };
}

function firstProblem(
  parts: readonly string[],
  check: (part: string, index: number) => string | undefined,
): string | undefined {
  for (const [index, part] of parts.entries()) {
    const problem = check(part, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
