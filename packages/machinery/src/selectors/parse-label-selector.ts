import { describeFieldError, invalid } from '../errors/field-error.ts';
import { ParseError } from '../errors/parse-error.ts';
import { describeFieldErrors } from '../errors/status-errors.ts';
import { validateQualifiedName } from '../names/label-names.ts';
import { byteLength } from '../names/messages.ts';
import type { LabelOperator, LabelRequirement } from './label-requirement.ts';
import { validateRequirement } from './label-requirement.ts';
import { CompiledLabelSelector } from './label-selector.ts';
import type { Token } from './label-tokens.ts';
import { tokenize } from './label-tokens.ts';

/** Most bytes of a selector. Kubernetes has no limit but that of a URL. */
export const selectorMaxBytes = 10 * 1024;

/**
 * Reads `app=web,tier in (a,b),!legacy`. Throws `ParseError` with Kubernetes' words.
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" | "notin" ) "(" values ")"
 */
export function parseLabelSelector(text: string): CompiledLabelSelector {
  if (byteLength(text) > selectorMaxBytes) throw fail(`selector is longer than ${selectorMaxBytes} bytes`);
  return new CompiledLabelSelector(new Parser(tokenize(text)).parse());
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

class Parser {
  /** Ends with a token of kind `end`, which is never consumed. */
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const next = this.#peek();
      if (next.kind === 'end') return requirements;
      if (!startsRequirement(next)) throw fail(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      if (!this.#passComma()) return requirements;
    }
  }

  /** Returns false at the end. */
  #passComma(): boolean {
    const token = this.#take();
    if (token.kind === 'end') return false;
    if (token.text !== ',') throw fail(`found '${token.text}', expected: ',' or 'end of string'`);
    const next = this.#peek();
    if (!startsRequirement(next)) throw fail(`found '${next.text}', expected: identifier after ','`);
    return true;
  }

  #requirement(): LabelRequirement {
    const requirement = this.#requirementParts();
    const errors = validateRequirement(requirement);
    if (errors.length > 0) throw failRequirement(describeFieldErrors(errors));
    return requirement;
  }

  #requirementParts(): LabelRequirement {
    if (this.#peek().text === '!') {
      this.#take();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    if (this.#isAtEndOfRequirement()) return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#list() : [this.#value()];
    return { key, operator, values };
  }

  #key(): string {
    const { kind, text } = this.#take();
    if (kind !== 'word') throw failRequirement(`found '${text}', expected: identifier`);
    const problems = validateQualifiedName(text);
    if (problems.length > 0) throw failRequirement(describeFieldError(invalid('<nil>', text, problems.join('; '))));
    return text;
  }

  #operator(): LabelOperator {
    const { text } = this.#take();
    const operator = operators.get(text);
    if (operator === undefined) throw failRequirement(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #value(): string {
    if (this.#isAtEndOfRequirement()) return '';
    const { kind, text } = this.#take();
    if (kind !== 'word') throw failRequirement(`found '${text}', expected: identifier`);
    return text;
  }

  /** Reads values without duplicates, sorted; between two commas is the empty value. */
  #list(): string[] {
    const open = this.#take();
    if (open.text !== '(') throw failRequirement(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind !== 'word' && first.text !== ',' && first.text !== ')')
      throw failRequirement(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    let isAfterValue = false;
    for (;;) {
      const token = this.#take();
      if (token.text === ')' || token.text === ',') {
        if (!isAfterValue) values.add('');
        if (token.text === ')') return [...values].sort();
        isAfterValue = false;
      } else if (token.kind !== 'word') {
        throw failRequirement(`found '${token.text}', expected: ${isAfterValue ? "',' or ')'" : "',', or identifier"}`);
      } else if (isAfterValue) {
        throw failRequirement(`found '${token.text}', expected: ',' or ')'`);
      } else {
        values.add(token.text);
        isAfterValue = true;
      }
    }
  }

  #isAtEndOfRequirement(): boolean {
    const next = this.#peek();
    return next.kind === 'end' || next.text === ',';
  }

  #peek(): Token {
    return this.#tokens[this.#position]!;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#position++;
    return token;
  }
}

function startsRequirement(token: Token): boolean {
  return token.kind === 'word' || token.text === '!';
}

function failRequirement(message: string): ParseError {
  return fail(`unable to parse requirement: ${message}`);
}

function fail(message: string): ParseError {
  return new ParseError('label selector', message);
}
