import { ParseError } from '../errors/parse-error.ts';
import { byteLength } from '../names/messages.ts';
import { selectorMaxBytes } from './parse-label-selector.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Decides which objects are meant, by a few of their fields. A field that is absent counts as empty. */
export class CompiledFieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly #tests: readonly FieldTest[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
    this.#tests = testsOf(requirements);
  }

  /** Nothing is required: every object is meant. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  matches(fields: Readonly<Record<string, string>>): boolean {
    return this.#tests.every(({ field, wanted, refused }) => {
      const actual = Object.hasOwn(fields, field) ? fields[field]! : '';
      if (refused?.has(actual)) return false;
      return wanted === undefined || (wanted.size === 1 && wanted.has(actual));
    });
  }

  /** The one value this selector lets `field` have, if it says so. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((item) => item.field === field && item.operator === '=')?.value;
  }

  /**
   * The same selector in other words: for servers that rename fields between versions. `undefined` drops a requirement;
   * whoever does not know the field throws.
   */
  map(rewrite: (requirement: FieldRequirement) => FieldRequirement | undefined): CompiledFieldSelector {
    return new CompiledFieldSelector(this.requirements.flatMap((requirement) => rewrite(requirement) ?? []));
  }

  /** What `parseFieldSelector` reads back to the same selector. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(',');
  }
}

/** All that is required of one field, so that each object is looked at once, however long the selector is. */
interface FieldTest {
  readonly field: string;
  /** No field has two values: nothing meets a selector that wants several. */
  wanted?: Set<string>;
  refused?: Set<string>;
}

function testsOf(requirements: readonly FieldRequirement[]): FieldTest[] {
  const tests = new Map<string, FieldTest>();
  for (const { field, operator, value } of requirements) {
    const test: FieldTest = tests.get(field) ?? { field };
    tests.set(field, test);
    if (operator === '=') test.wanted = (test.wanted ?? new Set()).add(value);
    else test.refused = (test.refused ?? new Set()).add(value);
  }
  return [...tests.values()];
}

/** Reads `metadata.name=web,status.phase!=Running`. Throws `ParseError` with Kubernetes' words. */
export function parseFieldSelector(text: string): CompiledFieldSelector {
  if (byteLength(text) > selectorMaxBytes) throw fail(`selector is longer than ${selectorMaxBytes} bytes`);
  const terms = splitTerms(text)
    .filter((term) => term !== '')
    .sort();
  return new CompiledFieldSelector(terms.map((term) => parseTerm(term, text)).filter(saysSomething));
}

/** `=` alone, of no field and no value, is a term that every object meets. */
function saysSomething({ field, value }: FieldRequirement): boolean {
  return field !== '' || value !== '';
}

/** A value as it may stand in a selector: `\`, `,` and `=` become `\\`, `\,` and `\=`. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Cuts at commas that no backslash stands before. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let position = 0; position < text.length; position++) {
    if (text[position] === '\\') position++;
    else if (text[position] === ',') {
      terms.push(text.slice(start, position));
      start = position + 1;
    }
  }
  return [...terms, text.slice(start)];
}

/** The first operator counts; its longest form does. */
function parseTerm(term: string, text: string): FieldRequirement {
  const match = /!=|==|=/.exec(term);
  if (match === null) throw fail(`invalid selector: '${text}'; can't understand '${term}'`);
  return {
    field: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: unescapeFieldValue(term.slice(match.index + match[0].length)),
  };
}

function unescapeFieldValue(value: string): string {
  let plain = '';
  for (let position = 0; position < value.length; position++) {
    const character = value[position]!;
    if (character === '=' || character === ',')
      throw fail(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    plain += character === '\\' ? escapedAt(value, ++position) : character;
  }
  return plain;
}

function escapedAt(value: string, position: number): string {
  const character = position < value.length ? String.fromCodePoint(value.codePointAt(position)!) : '';
  if (character === '\\' || character === ',' || character === '=') return character;
  throw fail(`invalid field selector: invalid escape sequence: \\${character}`);
}

function fail(message: string): ParseError {
  return new ParseError('field selector', message);
}
