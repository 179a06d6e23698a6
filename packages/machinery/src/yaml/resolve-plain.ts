import { isInt64, parseNumber } from '../json/number.ts';
import { YamlError } from './yaml-error.ts';

/** The meaning of an unquoted scalar. Integers and floats differ because they are written differently as keys. */
export type Resolved =
  | { readonly tag: '!!null'; readonly value: null }
  | { readonly tag: '!!bool'; readonly value: boolean }
  | { readonly tag: '!!int'; readonly value: number | bigint }
  | { readonly tag: '!!float'; readonly value: number }
  | { readonly tag: '!!str'; readonly value: string };

/**
 * Resolves a plain scalar as Kubernetes' YAML library does, which is YAML 1.1 with exceptions: `yes`, `on` and `y` are
 * booleans, `0777` and `0o777` are octal, `1_000` is a thousand; but there is no base 60, dates stay strings, and
 * numbers that overflow a double stay strings too.
 */
export function resolvePlain(source: string): Resolved {
  const word = words.get(source);
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  const isNumeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d;
  if (isNumeric) return resolveNumber(withoutUnderscores(source)) ?? text(source);
  if (first === 0x2e) return resolveFloat(source) ?? text(source);
  return text(source);
}

const words = new Map<string, Resolved>([
  ...entries(['', '~', 'null', 'Null', 'NULL'], { tag: '!!null', value: null }),
  ...entries(['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'], { tag: '!!bool', value: true }),
  ...entries(['true', 'True', 'TRUE'], { tag: '!!bool', value: true }),
  ...entries(['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'], { tag: '!!bool', value: false }),
  ...entries(['false', 'False', 'FALSE'], { tag: '!!bool', value: false }),
  ...entries(['.nan', '.NaN', '.NAN'], { tag: '!!float', value: Number.NaN }),
  ...entries(['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'], { tag: '!!float', value: Infinity }),
  ...entries(['-.inf', '-.Inf', '-.INF'], { tag: '!!float', value: -Infinity }),
]);

function entries(sources: readonly string[], resolved: Resolved): [string, Resolved][] {
  return sources.map((source) => [source, resolved]);
}

function text(source: string): Resolved {
  return { tag: '!!str', value: source };
}

function resolveNumber(source: string): Resolved | undefined {
  return resolveInteger(source) ?? resolveFloat(source);
}

const UNDERSCORE = 0x5f;

/** Copies byte by byte: `replaceAll` makes a piece of each match, and there may be millions. */
function withoutUnderscores(source: string): string {
  if (!source.includes('_')) return source;
  const bytes = Buffer.from(source);
  let length = 0;
  for (const byte of bytes) if (byte !== UNDERSCORE) bytes[length++] = byte;
  return bytes.toString('utf8', 0, length);
}

const integer = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/;

/** More digits than any 64-bit integer has in any base. */
const MAX_INTEGER_LENGTH = 70;

function resolveInteger(source: string): Resolved | undefined {
  const match = integer.exec(source);
  if (match === null) return undefined;
  const digits = withOctalPrefix(match[2]!);
  const sign = match[1] === '-' ? -1 : 1;
  const double = sign * Number(digits);
  if (Number.isSafeInteger(double)) return { tag: '!!int', value: double + 0 };
  if (digits.length <= MAX_INTEGER_LENGTH) {
    const exact = BigInt(sign) * BigInt(digits);
    if (isInt64(exact)) return { tag: '!!int', value: exact };
  }
  return Number.isFinite(double) ? { tag: '!!int', value: double } : undefined;
}

/** `0777` is octal in YAML 1.1; JavaScript requires `0o777`. */
function withOctalPrefix(digits: string): string {
  return /^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits;
}

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function resolveFloat(source: string): Resolved | undefined {
  if (!float.test(source)) return undefined;
  const value = Number(source);
  return Number.isFinite(value) ? { tag: '!!float', value } : undefined;
}

/**
 * Returns the JSON number that Kubernetes makes of a float: one without a fraction is written as digits, and digits are
 * read as an integer.
 */
export function floatToJson(value: number): number | bigint {
  if (!Number.isFinite(value)) throw new YamlError({ code: 'NotInJson', number: nameOf(value) });
  return parseNumber(String(value), Number.isInteger(value) && Math.abs(value) < 1e21) ?? value;
}

function nameOf(value: number): '+Inf' | '-Inf' | 'NaN' {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
