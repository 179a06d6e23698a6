import { type FieldError, internal, invalid, quote, typeInvalid } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import { PathStack } from '../path-stack.ts';

/** More errors than anyone reads. A value that has more is still invalid; the rest is not listed. */
const maxErrors = 10_000;
/** Together with `maxErrors`, bounds what an answer can cost when the values or enums it repeats are large. */
const maxErrorText = 8 * 1024 * 1024;
/** Places of a value looked at, alternatives of junctors counted each; about 100 ms, beyond any honest need. */
const maxSteps = 500_000;
/** What a place costs, in states of an automaton that matches a pattern: up to 30 ns each, where texts are hostile. */
const statesPerStep = 5;
/** As deep as a JSON document may be, with room for one put inside another. */
const maxDepth = 2_000;

/** Thrown inside a run, never out of it: the schema asks for more work than a request may cost. */
export class ValidationLimitError extends Error {
  override readonly name = 'ValidationLimitError';
}

/** One validation of one value: where it stands and what it has found. */
export class ValidationRun {
  readonly path = new PathStack();
  readonly errors: FieldError[] = [];
  /** Everything found wrong, listed or not. */
  failures = 0;
  /** Checks that applied, failed or not. Among failed alternatives the one with most matches is explained. */
  matches = 0;
  /** Only counting: an alternative is being tried. */
  isSilent = false;
  /** A correlated value below the current place is known to differ from the previous one. */
  changed = false;
  readonly #prefix: string | undefined;
  #steps = 0;
  #textLength = 0;

  constructor(prefix: string | undefined) {
    this.#prefix = prefix;
  }

  step(): void {
    if (++this.#steps > maxSteps) throw new ValidationLimitError(`more than ${maxSteps} checks`);
    if (this.path.depth > maxDepth) throw new ValidationLimitError(`more than ${maxDepth} levels`);
  }

  /** Accounts for matching a text: up to every state of the automaton, for every character. */
  spendMatching(length: number, size: number): void {
    this.#steps += (length * size) / statesPerStep;
    this.step();
  }

  /** A value that breaks a rule: `Invalid value: 0: spec.port in body should be greater than or equal to 1`. */
  invalid(value: JsonValue, complaint: string): void {
    this.report((field, at) => invalid(field, value, `${at} in body ${complaint}`));
  }

  /** A value of the wrong type or format. What it is instead is quoted. */
  wrongType(expected: string, found: string): void {
    this.report((field, at) => typeInvalid(field, found, `${at} in body must be of type ${expected}: ${quote(found)}`));
  }

  /** A complaint that names its place itself. Kubernetes gives it no field; `<nil>` is how Go prints that. */
  complain(describe: (at: string) => string): void {
    this.report((_, at) => invalid(this.#prefix ?? '<nil>', '', describe(at)));
  }

  /** Reports what is wrong at the current place. It is put in words only if somebody will read them. */
  report(describe: (field: string, at: string) => FieldError): void {
    this.failures++;
    if (this.isSilent || this.errors.length >= maxErrors || this.#textLength > maxErrorText) return;
    const at = this.path.toString();
    const error = describe(this.fieldOf(at), at);
    this.#textLength += error.field.length + error.body.length;
    this.errors.push(error);
  }

  /** Takes back what was found since. */
  forgetSince(failures: number, errors: number): void {
    this.failures = failures;
    this.errors.length = Math.min(errors, this.errors.length);
  }

  /** The field that belongs to a path in the value: below the prefix, if the caller gave one. */
  fieldOf(at: string): string {
    const below = at.startsWith('.') ? at.slice(1) : at;
    if (this.#prefix === undefined) return below === '' ? '<nil>' : below;
    return below === '' ? this.#prefix : `${this.#prefix}.${below}`;
  }

  giveUp(reason: ValidationLimitError): void {
    this.errors.push(internal(this.#prefix ?? '<nil>', `cannot validate: ${reason.message}`));
  }
}
