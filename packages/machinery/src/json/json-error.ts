/** The grammar's expectation that was not met, in the words of Go's decoder, which clients compare. */
export type SyntaxContext =
  | 'looking for beginning of value'
  | 'looking for beginning of object key string'
  | 'after object key'
  | 'after object key:value pair'
  | 'after array element'
  | 'after top-level value'
  | 'in string literal'
  | 'in string escape code'
  | 'in \\u hexadecimal character escape'
  | 'in numeric literal'
  | 'after decimal point in numeric literal'
  | 'in exponent of numeric literal'
  | `in literal ${'true' | 'false' | 'null'} (expecting '${string}')`;

/** Why a document was refused, or a value could not be written. */
export type JsonFailure =
  /** `byte` is found at `offset`, counted in bytes. */
  | { readonly code: 'Syntax'; readonly offset: number; readonly byte: number; readonly context: SyntaxContext }
  | { readonly code: 'UnexpectedEnd'; readonly offset: number }
  /** The number is well-formed but larger than a double can hold. */
  | { readonly code: 'NumberOutOfRange'; readonly literal: string }
  | { readonly code: 'TooLarge'; readonly bytes: number; readonly limit: number }
  /** `byte` opens the level beyond the limit; absent when a value is written. */
  | { readonly code: 'TooDeep'; readonly limit: number; readonly byte?: number }
  | { readonly code: 'TooManyTokens'; readonly limit: number };

export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly failure: JsonFailure;

  constructor(failure: JsonFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

/** Uses Go's messages where Go has one, because the API server passes them on to clients. */
function describe(failure: JsonFailure): string {
  switch (failure.code) {
    case 'Syntax':
      return `invalid character ${quoteByte(failure.byte)} ${failure.context}`;
    case 'UnexpectedEnd':
      return 'unexpected end of JSON input';
    case 'NumberOutOfRange':
      return `json: cannot unmarshal number ${failure.literal} into Go value of type float64`;
    case 'TooLarge':
      return `Cannot read JSON of ${failure.bytes} bytes: the limit is ${failure.limit}`;
    case 'TooDeep':
      return failure.byte === undefined
        ? 'exceeded max depth'
        : `invalid character ${quoteByte(failure.byte)} exceeded max depth`;
    case 'TooManyTokens':
      return `Cannot read JSON: it has more than ${failure.limit} structural tokens`;
  }
}

/** Quotes a byte as Go does in an error message: `'x'`, `'\''`, `'\n'`, `'\x00'`, `'ï'`, `'\u0081'`. */
function quoteByte(byte: number): string {
  const named = namedEscapes.get(byte);
  if (named !== undefined) return `'${named}'`;
  if (byte < 0x20 || byte === 0x7f) return `'\\x${byte.toString(16).padStart(2, '0')}'`;
  if (isUnprintableLatin1(byte)) return `'\\u00${byte.toString(16)}'`;
  return `'${String.fromCharCode(byte)}'`;
}

const namedEscapes = new Map<number, string>([
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x27, "\\'"],
  [0x5c, '\\\\'],
]);

/** True for the C1 controls, the no-break space and the soft hyphen. */
function isUnprintableLatin1(byte: number): boolean {
  return (byte >= 0x80 && byte <= 0xa0) || byte === 0xad;
}
