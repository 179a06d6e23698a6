import { table } from '../table/table.ts';
import { JsonPathError } from './json-path-error.ts';
import type { Comparison, Step, TemplatePart } from './steps.ts';

/** Most characters of a path or template. */
const pathMaxLength = 4_096;
const nestingMax = 16;

/** Reads the steps of one path: the text between `{` and `}` of a template. */
export function parseSteps(text: string): Step[] {
  checkLength(text);
  const reader = new Reader(text);
  const steps: Step[] = [];
  while (!reader.isAtEnd) steps.push(...readStep(reader, steps.at(-1)));
  return steps;
}

/** Reads a whole template: text with paths in braces. */
export function parseTemplate(text: string): TemplatePart[] {
  checkLength(text);
  const reader = new Reader(text);
  const parts = readParts(reader, 0);
  if (!reader.isAtEnd) throw syntax('not in range, nothing to end');
  return parts;
}

/** Reads a text from its beginning to its end. */
class Reader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** The current character; empty at the end. */
  get here(): string {
    return this.#text[this.#position] ?? '';
  }

  /** Advances over `expected` if the text continues with it. */
  pass(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#position)) return false;
    this.#position += expected.length;
    return true;
  }

  take(): string {
    return this.#text[this.#position++] ?? '';
  }

  /** Takes all characters up to the first that `isEnd` accepts; a backslash escapes the one after it. */
  takeUntil(isEnd: (character: string) => boolean): string {
    const start = this.#position;
    while (!this.isAtEnd && !isEnd(this.here)) this.#position += this.here === '\\' ? 2 : 1;
    return this.#text.slice(start, this.#position);
  }
}

/** Reads parts up to the end of the text, or up to the `{end}` of the current range. */
function readParts(reader: Reader, depth: number): TemplatePart[] {
  if (depth > nestingMax) throw syntax('too many nested ranges');
  const parts: TemplatePart[] = [];
  while (!reader.isAtEnd) {
    const text = reader.takeUntil((character) => character === '{');
    if (text !== '') parts.push({ kind: 'text', text });
    if (!reader.pass('{')) break;
    const { keyword, steps } = readAction(reader);
    if (keyword === 'end') {
      if (depth === 0) throw syntax('not in range, nothing to end');
      return parts;
    }
    parts.push(
      keyword === 'range' ? { kind: 'range', steps, body: readParts(reader, depth + 1) } : { kind: 'path', steps },
    );
  }
  if (depth > 0) throw syntax('unterminated range');
  return parts;
}

function readAction(reader: Reader): { readonly keyword: 'range' | 'end' | undefined; readonly steps: Step[] } {
  const steps: Step[] = [];
  while (reader.pass(' '));
  const keyword = reader.pass('range') ? 'range' : reader.pass('end') ? 'end' : undefined;
  while (!reader.pass('}')) {
    if (reader.isAtEnd) throw syntax('unclosed action');
    steps.push(...readStep(reader, steps.at(-1)));
  }
  return { keyword, steps };
}

/** Reads the next step. Returns none for `@` and `$`, the current value, where every path starts. */
function readStep(reader: Reader, previous: Step | undefined): Step[] {
  if (reader.pass('..')) return readDescent(reader, previous);
  if (reader.pass('[?(')) return [readFilter(reader)];
  if (reader.pass('[')) return readBracket(reader);
  if (reader.pass('.')) return [readField(reader)];
  if (reader.pass('@') || reader.pass('$') || reader.pass(' ')) return [];
  if (reader.here === '"' || reader.here === "'") return [readQuoted(reader)];
  const word = reader.takeUntil(isTerminator);
  if (word === '') throw syntax(`unrecognized character in action: '${reader.here}'`);
  return [parseWord(word)];
}

function readDescent(reader: Reader, previous: Step | undefined): Step[] {
  if (previous?.kind === 'descend') throw syntax('invalid multiple recursive descent');
  const descend: Step = { kind: 'descend' };
  return reader.isAtEnd || isTerminator(reader.here) ? [descend] : [descend, readField(reader)];
}

function readField(reader: Reader): Step {
  const name = reader.takeUntil(isTerminator);
  return name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: withoutBackslashes(name) };
}

/** Reads the contents of `[…]`: an index, a slice, a name in single quotes, `*`, or several of these between commas. */
function readBracket(reader: Reader): Step[] {
  const parts = [''];
  while (!reader.pass(']')) {
    if (reader.isAtEnd) throw syntax('unterminated array');
    if (reader.pass(',')) parts.push('');
    else if (reader.here === '"' || reader.here === "'") parts[parts.length - 1] += takeQuoted(reader);
    else parts[parts.length - 1] += reader.take();
  }
  if (parts.length === 1) return parseSelector(parts[0]!);
  return [{ kind: 'union', branches: parts.map((part) => parseSelector(part.trim())) }];
}

/** Reads a quoted name as if it followed a dot, so dots in it need a backslash in both places. */
function parseSelector(text: string): Step[] {
  if (text === '*') return [{ kind: 'slice', step: 1 }];
  const quoted = /^'([^']*)'$/.exec(text);
  return quoted === null ? [parseRange(text)] : parseSteps(`.${quoted[1]!}`);
}

function parseRange(text: string): Step {
  const match = /^(-?[0-9]{0,9})(?::(-?[0-9]{0,9}))?(?::(-?[0-9]{0,9}))?$/.exec(text);
  if (match === null || text === '' || match.includes('-')) throw syntax(`invalid array index ${text}`);
  const [, start = '', end, step] = match;
  if (end === undefined) return { kind: 'index', index: Number(start) };
  if (step !== undefined && step !== '' && Number(step) <= 0) throw syntax('step must be > 0');
  return {
    kind: 'slice',
    ...(start !== '' && { start: Number(start) }),
    ...(end !== '' && { end: Number(end) }),
    step: step ? Number(step) : 1,
  };
}

/** Reads `[?(@.type=="Ready")]` from after its parenthesis. */
function readFilter(reader: Reader): Step {
  let text = '';
  while (!reader.pass(')')) {
    if (reader.isAtEnd) throw syntax('unterminated filter');
    text += reader.here === '"' || reader.here === "'" ? takeQuoted(reader) : reader.take();
  }
  if (!reader.pass(']')) throw syntax('unclosed array expect ]');
  const operatorAt = text.search(/[!<>=~]/);
  if (operatorAt === -1) return { kind: 'exists', path: parseSteps(text) };
  const operator = /^[!<>=~]+/.exec(text.slice(operatorAt))![0];
  if (!isComparison(operator)) throw syntax(`unrecognized filter operator ${operator}`);
  const right = text.slice(operatorAt + operator.length);
  return { kind: 'compare', left: parseSteps(text.slice(0, operatorAt)), operator, right: parseSteps(right) };
}

function readQuoted(reader: Reader): Step {
  return { kind: 'literal', value: unquote(takeQuoted(reader)) };
}

/** Takes a string with its quotes and escapes. */
function takeQuoted(reader: Reader): string {
  const quote = reader.take();
  const body = reader.takeUntil((character) => character === quote);
  if (!reader.pass(quote)) throw syntax('unterminated quoted string');
  return quote + body + quote;
}

const escapes: Readonly<Record<string, string>> = table({ n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" });

function unquote(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(.?)/gs, (whole, character: string) => {
    const meant = Object.hasOwn(escapes, character) ? escapes[character] : undefined;
    if (meant === undefined) throw syntax(`unquote string ${quoted} error invalid syntax: ${whole}`);
    return meant;
  });
}

function parseWord(word: string): Step {
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
  if (/^[+-]?[0-9]+(\.[0-9]*)?$/.test(word)) return { kind: 'literal', value: Number(word) };
  throw syntax(`unrecognized identifier ${word}`);
}

function isComparison(text: string): text is Comparison {
  return ['==', '!=', '<', '<=', '>', '>='].includes(text);
}

function isTerminator(character: string): boolean {
  return ' \t\r\n.,[]$@{}'.includes(character);
}

function withoutBackslashes(name: string): string {
  return name.replaceAll('\\', '');
}

function checkLength(text: string): void {
  if (text.length > pathMaxLength) throw new JsonPathError({ code: 'TooLong', maxLength: pathMaxLength });
}

function syntax(problem: string): JsonPathError {
  return new JsonPathError({ code: 'Syntax', problem });
}
