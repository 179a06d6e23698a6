/** A clause of a format, which formats the next argument. */
export interface FormatClause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  /** Digits after the decimal point. */
  readonly precision: number;
  /** Returns why a value of that type cannot be formatted. */
  typeError(typeName: string): string;
}

interface FormatProblem {
  readonly problem: string;
  /** The format ends within a clause. */
  readonly isCutOff?: boolean;
}

const typeErrors: Record<FormatClause['verb'], string> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  d: 'decimal clause can only be used on integers, was given',
  f: 'fixed-point clause can only be used on doubles, was given',
  e: 'scientific clause can only be used on doubles, was given',
  b: 'only integers and bools can be formatted as binary, was given',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  o: 'octal clause can only be used on integers, was given',
};

const defaultPrecision = 6;
/** More digits than a double has are zeros; more than this are refused. */
const maxPrecision = 1_000;

/** Parses a format into plain text, clauses, and at the end a problem if there is one. */
export function* readFormat(format: string): Generator<string | FormatClause | FormatProblem> {
  let plain = '';
  for (let at = 0; at < format.length; at++) {
    if (format[at] !== '%') {
      plain += format[at];
    } else if (format[at + 1] === '%') {
      plain += '%';
      at++;
    } else {
      if (plain !== '') yield plain;
      plain = '';
      const clause = readClause(format, at + 1);
      yield clause.found;
      if ('problem' in clause.found) return;
      at = clause.end - 1;
    }
  }
  if (plain !== '') yield plain;
}

function readClause(
  format: string,
  start: number,
): { readonly found: FormatClause | FormatProblem; readonly end: number } {
  const end = format.length;
  if (start >= end) return { found: { problem: 'unexpected end of string', isCutOff: true }, end };
  const match = /(?:\.([0-9]*))?(.?)/sy;
  match.lastIndex = start;
  const [whole, digits, verb = ''] = match.exec(format)!;
  const parsing = 'could not parse formatting clause: ';
  if (digits !== undefined && verb === '') {
    return {
      found: { problem: `${parsing}error while parsing precision: could not find end of precision specifier` },
      end,
    };
  }
  if (digits === '' || Number(digits ?? 0) > maxPrecision) {
    const why = `strconv.Atoi: parsing "${digits}": invalid syntax`;
    return {
      found: {
        problem: `${parsing}error while parsing precision: error while converting precision to integer: ${why}`,
      },
      end,
    };
  }
  if (!isVerb(verb)) return { found: { problem: `${parsing}unrecognized formatting clause "${verb}"` }, end };
  const precision = digits === undefined ? defaultPrecision : Number(digits);
  const found = { verb, precision, typeError: (typeName: string) => `${typeErrors[verb]} ${typeName}` };
  return { found, end: start + whole.length };
}

function isVerb(verb: string): verb is FormatClause['verb'] {
  return Object.hasOwn(typeErrors, verb);
}
