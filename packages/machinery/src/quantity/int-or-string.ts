import { ParseError } from '../errors/parse-error.ts';
import { quote } from '../errors/quote.ts';

/** A number, or a text such as `25%` or the name of a port. */
export type IntOrString = number | string;

/**
 * Returns a number as it is, and a percentage as that part of `total`, rounded up or down. Throws `ParseError` for
 * other texts and for an absent value.
 */
export function scaledValue(
  value: IntOrString | undefined,
  total: number,
  options: { readonly roundUp: boolean },
): number {
  if (value === undefined) throw fail('nil value for IntOrString');
  if (typeof value === 'number') return value;
  const share = (parsePercent(value) * total) / 100;
  return options.roundUp ? Math.ceil(share) : Math.floor(share);
}

function parsePercent(text: string): number {
  if (!text.endsWith('%')) throw fail('invalid value for IntOrString: invalid type: string is not a percentage');
  const digits = text.slice(0, -1);
  const problem = integerProblem(digits);
  if (problem !== undefined)
    throw fail(
      `invalid value for IntOrString: invalid value ${quote(text)}: strconv.Atoi: parsing ${quote(digits)}: ${problem}`,
    );
  return Number(digits);
}

/** Returns Go's message for a text that is not an integer of 64 bits. */
function integerProblem(digits: string): string | undefined {
  if (!/^[+-]?[0-9]+$/.test(digits)) return 'invalid syntax';
  const number = Number(digits);
  return number > 2 ** 63 || number < -(2 ** 63) ? 'value out of range' : undefined;
}

function fail(message: string): ParseError {
  return new ParseError('IntOrString', message);
}
