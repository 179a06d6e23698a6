import { quote, quoteWhole } from '@pintle/machinery/errors';
import { typeNameOf } from '../values/describe.ts';
import { ListValue } from '../values/list.ts';
import { MapValue } from '../values/map.ts';
import { isInt } from '../values/numbers.ts';
import { Duration, Timestamp } from '../values/time.ts';
import { CelError, Double, isError, TypeValue, Uint, type Value } from '../values/value.ts';
import { toText } from './conversions.ts';
import { type FormatClause, readFormat } from './format-clauses.ts';
import { maxText, tooLarge } from './limits.ts';

/** Implements `'%s has %d'.format([name, count])`. */
export function formatText(format: string, args: ListValue): Value {
  let text = '';
  let used = 0;
  for (const clause of readFormat(format)) {
    if (typeof clause === 'string') {
      text += clause;
      continue;
    }
    if (used >= args.size) return new CelError(`index ${used} out of range`);
    if ('problem' in clause) return new CelError(clause.problem);
    const printed = print(args.at(used++), clause);
    if (printed instanceof CelError) return printed;
    text += printed;
    if (text.length > maxText) return tooLarge;
  }
  return text;
}

function print(value: Value, clause: FormatClause): string | CelError {
  if (isError(value)) return value;
  const printed = verbs[clause.verb](value, clause.precision);
  if (printed === undefined) return new CelError(`error during formatting: ${clause.typeError(typeNameOf(value))}`);
  if (printed instanceof CelError && value instanceof Uint8Array) {
    return new CelError(`error during formatting: could not convert argument ${quote(printed.message)} to string`);
  }
  return printed;
}

type Printer = (value: Value, precision: number) => string | CelError | undefined;

const verbs: Record<FormatClause['verb'], Printer> = {
  s: (value) => printAny(value),
  d: (value) => integerOf(value)?.toString(),
  f: (value, precision) => {
    const number = numberOf(value);
    return number === undefined
      ? undefined
      : Number.isFinite(number)
        ? grouped(fixed(number, Math.min(precision, 100)))
        : special(number);
  },
  e: (value) => {
    const number = numberOf(value);
    return number === undefined ? undefined : Number.isFinite(number) ? scientific(number) : special(number);
  },
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : integerOf(value)?.toString(2)),
  x: (value) => hex(value),
  X: (value) => hex(value)?.toUpperCase(),
  o: (value) => integerOf(value)?.toString(8),
};

function integerOf(value: Value): bigint | undefined {
  if (isInt(value)) return BigInt(value);
  return value instanceof Uint ? value.value : undefined;
}

function numberOf(value: Value): number | undefined {
  if (value instanceof Double) return value.value;
  if (value === 'NaN') return Number.NaN;
  return value === 'Infinity' ? Infinity : value === '-Infinity' ? -Infinity : undefined;
}

/** Go rounds ties to even, JavaScript rounds them up. */
function fixed(number: number, precision: number): string {
  if (Math.abs(number) >= 1e21) return `${BigInt(number)}${precision > 0 ? '.' : ''}${'0'.repeat(precision)}`;
  if (Object.is(number, -0)) return `-${fixed(0, precision)}`;
  const scaled = number * 10 ** precision;
  const isTie = Math.abs(scaled % 1) === 0.5;
  return (isTie ? (Math.round(scaled / 2) * 2) / 10 ** precision : number).toFixed(precision);
}

function special(number: number): string {
  return Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞';
}

/** Groups thousands with commas. */
function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

const superscripts = [...'⁰¹²³⁴⁵⁶⁷⁸⁹'];

/** Kubernetes prints six digits, whatever the precision. */
function scientific(number: number): string {
  const [mantissa = '', exponent = '0'] = number.toExponential(6).split('e');
  const sign = exponent.startsWith('-') ? '⁻' : '';
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}×10${sign}${[...digits].map((digit) => superscripts[Number(digit)]).join('')}`;
}

function hex(value: Value): string | undefined {
  if (typeof value === 'string') return bytesToHex(new TextEncoder().encode(value));
  return value instanceof Uint8Array ? bytesToHex(value) : integerOf(value)?.toString(16);
}

function bytesToHex(bytes: Uint8Array): string {
  const text = new Uint8Array(bytes.length * 2);
  for (let index = 0; index < bytes.length; index++) {
    text[2 * index] = digits.charCodeAt(bytes[index]! >> 4);
    text[2 * index + 1] = digits.charCodeAt(bytes[index]! & 15);
  }
  return new TextDecoder().decode(text);
}

const digits = '0123456789abcdef';

function printAny(value: Value): string | CelError | undefined {
  if (value === null) return 'null';
  if (value instanceof ListValue) return printList(value);
  if (value instanceof MapValue) return printMap(value);
  const isPlain =
    typeof value !== 'object' ||
    [Double, Uint, Uint8Array, Timestamp, Duration, TypeValue].some((type) => value instanceof type);
  const text = isPlain ? toText(value) : undefined;
  return typeof text === 'string' || text instanceof CelError ? text : undefined;
}

function printList(list: ListValue): string | CelError {
  const parts: string[] = [];
  for (const item of list.items()) {
    const printed = printInside(item);
    if (printed instanceof CelError) return printed;
    parts.push(printed);
  }
  return `[${parts.join(', ')}]`;
}

function printMap(map: MapValue): string | CelError {
  const parts: string[] = [];
  for (const key of map.keys()) {
    const name = printInside(key);
    const value = printInside(map.get(key) ?? null);
    if (name instanceof CelError) return name;
    if (value instanceof CelError) return value;
    parts.push(`${name}:${value}`);
  }
  return `{${parts.sort().join(', ')}}`;
}

/** Formats values within lists and maps as literals. */
function printInside(value: Value): string | CelError {
  if (typeof value === 'string') return quoteWhole(value);
  if (value instanceof Timestamp) return `timestamp("${value}")`;
  if (value instanceof Duration) return `duration("${value}")`;
  if (value instanceof Double)
    return Number.isFinite(value.value) ? fixed(value.value, 6) : `"${special(value.value)}"`;
  const printed = printAny(value);
  if (value instanceof Uint8Array && typeof printed === 'string') return `b${quoteWhole(printed)}`;
  return printed ?? new CelError(`no formatting function for ${typeNameOf(value)}`);
}
