import { type FieldError, internal, invalid, quote, typeInvalid } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import { PathStack } from '../path-stack.ts';

/** Most errors that are listed. A value with more is still invalid. */
const maxErrors = 10_000;
/** Most characters of all listed errors, which bounds the size of a response that quotes large values or enums. */
const maxErrorText = 8 * 1024 * 1024;
/**
 * Most values that one validation visits, each alternative of a combinator counted; about 100 ms, more than any real
 * schema needs.
 */
const maxSteps = 500_000;
/** Cost of visiting a value, in states of an automaton that matches a pattern: up to 30 ns each, for hostile texts. */
const statesPerStep = 5;
/** Greatest depth of a JSON document, with room for one document inside another. */
const maxDepth = 2_000;

/** Thrown and caught inside a run: the schema requires more work than a request may cost. */
export class ValidationLimitError extends Error {
  override readonly name = 'ValidationLimitError';
}

/** The state of validating one value: the current path and the findings. */
export class ValidationRun {
  readonly path = new PathStack();
  readonly errors: FieldError[] = [];
  /** All failed checks, listed or not. */
  failures = 0;
  /** Checks that applied, failed or not. Of several failed alternatives, the one with most matches is explained. */
  matches = 0;
  /** Counts failures without listing them, while an alternative is tried. */
  isSilent = false;
  /** A correlated value below the current one differs from the previous one. */
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

  /** Charges for matching a text: up to every state of the automaton for every character. */
  chargeMatch(length: number, size: number): void {
    this.#steps += (length * size) / statesPerStep;
    this.step();
  }

  /** Reports a value that breaks a rule: `Invalid value: 0: spec.port in body should be greater than or equal to 1`. */
  invalid(value: JsonValue, detail: string): void {
    this.report((field, at) => invalid(field, value, `${at} in body ${detail}`));
  }

  /** Reports a value of the wrong type or format, with the type that was found. */
  wrongType(expected: string, found: string): void {
    this.report((field, at) => typeInvalid(field, found, `${at} in body must be of type ${expected}: ${quote(found)}`));
  }

  /** Reports an error whose message contains its path. Kubernetes gives it no field, which Go prints as `<nil>`. */
  reportWithoutField(describe: (at: string) => string): void {
    this.report((_, at) => invalid(this.#prefix ?? '<nil>', '', describe(at)));
  }

  /** Reports an error at the current path. Makes the message only if the error is listed. */
  report(describe: (field: string, at: string) => FieldError): void {
    this.failures++;
    if (this.isSilent || this.errors.length >= maxErrors || this.#textLength > maxErrorText) return;
    const at = this.path.toString();
    const error = describe(this.fieldOf(at), at);
    this.#textLength += error.field.length + error.body.length;
    this.errors.push(error);
  }

  /** Drops the failures and errors found since these counts. */
  dropSince(failures: number, errors: number): void {
    this.failures = failures;
    this.errors.length = Math.min(errors, this.errors.length);
  }

  /** Returns the field of a path in the value: below the prefix, if the caller gave one. */
  fieldOf(at: string): string {
    const below = at.startsWith('.') ? at.slice(1) : at;
    if (this.#prefix === undefined) return below === '' ? '<nil>' : below;
    return below === '' ? this.#prefix : `${this.#prefix}.${below}`;
  }

  reportLimit(reason: ValidationLimitError): void {
    this.errors.push(internal(this.#prefix ?? '<nil>', `cannot validate: ${reason.message}`));
  }
}
