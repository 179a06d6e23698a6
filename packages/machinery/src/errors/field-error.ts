import type { FieldPath } from './field-path.ts';
import { formatValue } from './format-value.ts';
import { MAX_SHOWN, quote, shorten } from './quote.ts';

/** The `reason` of a cause in `Status.details.causes`. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooShort'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One error in one field of an object. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Dotted path, as `spec.containers[0].image`; empty for the object itself. */
  readonly field: string;
  /** The text after the path: `Invalid value: "x": must be lower case`. */
  readonly body: string;
}

type Path = FieldPath | string;

/** Most characters of one body: a value all of whose characters may be escaped, and a short message. */
const MAX_BODY = 12 * MAX_SHOWN;

/** Most errors in a list. */
export const MAX_FIELD_ERRORS = 10_000;

/** Appends errors up to `MAX_FIELD_ERRORS`. There may be more than a call takes arguments. */
export function addErrors(errors: FieldError[], found: Iterable<FieldError>): void {
  for (const error of found) {
    if (errors.length >= MAX_FIELD_ERRORS) return;
    errors.push(error);
  }
}

const MAX_WHOLE_LIST_ERRORS = 10;

/**
 * Yields the first of errors that each quote a whole list. One for each item would make the total size quadratic in the
 * list's length.
 */
export function* firstWholeListErrors(found: Iterable<FieldError>): Generator<FieldError, void> {
  let count = 0;
  for (const error of found) {
    yield error;
    if (++count === MAX_WHOLE_LIST_ERRORS) return;
  }
}

/** Passed as the value where Kubernetes' message omits it. */
export const omitValue: unique symbol = Symbol('omitValue');

/** `spec.replicas: Invalid value: -1: must be greater than or equal to 0` */
export function describeFieldError(error: FieldError): string {
  return error.field === '' ? error.body : `${error.field}: ${error.body}`;
}

export function required(path: Path, detail = ''): FieldError {
  return make('FieldValueRequired', path, 'Required value', detail);
}

export function invalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueInvalid', path, withValue('Invalid value', value), detail);
}

export function typeInvalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueTypeInvalid', path, withValue('Invalid value', value), detail);
}

export function duplicate(path: Path, value: unknown, detail = ''): FieldError {
  return make('FieldValueDuplicate', path, withValue('Duplicate value', value), detail);
}

export function forbidden(path: Path, detail: string): FieldError {
  return make('FieldValueForbidden', path, 'Forbidden', detail);
}

export function notFound(path: Path, value: unknown, detail = ''): FieldError {
  return make('FieldValueNotFound', path, withValue('Not found', value), detail);
}

/** Lists the supported values in the order given; Kubernetes sorts them where its source is a set. */
export function notSupported(path: Path, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`;
  return make('FieldValueNotSupported', path, withValue('Unsupported value', value), detail);
}

/** Kubernetes omits a value that is too long. */
export function tooLong(path: Path, maxBytes: number): FieldError {
  const complaint = maxBytes < 0 ? 'value is too long' : `may not be more than ${count(maxBytes, 'byte')}`;
  return make('FieldValueTooLong', path, 'Too long', complaint);
}

export function tooShort(path: Path, minCharacters: number): FieldError {
  return make('FieldValueTooShort', path, 'Too short', `must be at least ${count(minCharacters, 'character')}`);
}

export function tooMany(path: Path, actual: number, max: number): FieldError {
  const complaint = max < 0 ? 'has too many items' : `must have at most ${count(max, 'item')}`;
  return make('FieldValueTooMany', path, `Too many: ${actual}`, complaint);
}

export function tooFew(path: Path, actual: number, min: number): FieldError {
  return make('FieldValueTooFew', path, `Too few: ${actual}`, `must have at least ${count(min, 'item')}`);
}

export function internal(path: Path, detail: string): FieldError {
  return make('InternalError', path, 'Internal error', detail);
}

function withValue(head: string, value: unknown): string {
  return value === omitValue ? head : `${head}: ${formatValue(value)}`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function make(reason: FieldErrorReason, path: Path, head: string, detail: string): FieldError {
  return { reason, field: shorten(String(path)), body: shorten(detail === '' ? head : `${head}: ${detail}`, MAX_BODY) };
}
