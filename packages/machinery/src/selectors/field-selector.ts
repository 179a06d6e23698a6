import { ParseError } from '../errors/parse-error.ts';
import { byteLength } from '../names/messages.ts';
import { selectorMaxBytes } from './parse-label-selector.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Selects objects by a few of their fields. An absent field counts as empty. */
export class CompiledFieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly #tests: readonly FieldTest[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
    this.#tests = testsOf(requirements);
  }

  /** True when there are no requirements: every object matches. */
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

  /** Returns the one value that this selector requires of `field`, if any. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((item) => item.field === field && item.operator === '=')?.value;
  }

  /**
   * Rewrites the requirements: for servers that rename fields between versions. `rewrite` returns `undefined` to drop a
   * requirement, and throws for an unknown field.
   */
  map(rewrite: (requirement: FieldRequirement) => FieldRequirement | undefined): CompiledFieldSelector {
    return new CompiledFieldSelector(this.requirements.flatMap((requirement) => rewrite(requirement) ?? []));
  }

  /** Returns the text that `parseFieldSelector` reads back to the same selector. */
  toString(): string {
    return this.requirements
      .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
      .join(',');
  }
}

/** All requirements on one field, so that an object is checked once, however long the selector is. */
interface FieldTest {
  readonly field: string;
  /** Values required of the field. More than one match no object. */
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
  return new CompiledFieldSelector(terms.map((term) => parseTerm(term, text)).filter(isEffective));
}

/** `=` alone, without field and value, matches every object and is dropped. */
function isEffective({ field, value }: FieldRequirement): boolean {
  return field !== '' || value !== '';
}

/** Escapes a value for a selector: `\`, `,` and `=` become `\\`, `\,` and `\=`. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Splits at commas that do not follow a backslash. */
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

/** The first operator counts, in its longest form. */
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
