import type { FieldPath } from './field-path.ts';
import { formatValue } from './format-value.ts';

/** The `reason` of a cause in `Status.details.causes`. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One thing that is wrong with one field of an object. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Dotted path, as `spec.containers[0].image`; empty for the object itself. */
  readonly field: string;
  /** The words after the path: `Invalid value: "x": must be lower case`. */
  readonly body: string;
}

type Path = FieldPath | string;

/** `spec.replicas: Invalid value: -1: must be greater than or equal to 0` */
export function describeFieldError(error: FieldError): string {
  return error.field === '' ? error.body : `${error.field}: ${error.body}`;
}

export function required(path: Path, detail: string): FieldError {
  return make('FieldValueRequired', path, 'Required value', detail);
}

export function invalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueInvalid', path, `Invalid value: ${formatValue(value)}`, detail);
}

export function typeInvalid(path: Path, value: unknown, detail: string): FieldError {
  return make('FieldValueTypeInvalid', path, `Invalid value: ${formatValue(value)}`, detail);
}

export function duplicate(path: Path, value: unknown): FieldError {
  return make('FieldValueDuplicate', path, `Duplicate value: ${formatValue(value)}`, '');
}

export function forbidden(path: Path, detail: string): FieldError {
  return make('FieldValueForbidden', path, 'Forbidden', detail);
}

export function notFound(path: Path, value: unknown): FieldError {
  return make('FieldValueNotFound', path, `Not found: ${formatValue(value)}`, '');
}

/** The supported values are listed in the order given; Kubernetes sorts them where its source is a set. */
export function notSupported(path: Path, value: unknown, supported: readonly string[]): FieldError {
  const detail =
    supported.length === 0 ? '' : `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`;
  return make('FieldValueNotSupported', path, `Unsupported value: ${formatValue(value)}`, detail);
}

/** Kubernetes never repeats a value that is too long. */
export function tooLong(path: Path, maxBytes: number): FieldError {
  return make('FieldValueTooLong', path, 'Too long', `may not be more than ${maxBytes} bytes`);
}

export function tooMany(path: Path, actual: number, max: number): FieldError {
  return make('FieldValueTooMany', path, `Too many: ${actual}`, `must have at most ${max} items`);
}

export function internal(path: Path, detail: string): FieldError {
  return make('InternalError', path, 'Internal error', detail);
}

function make(reason: FieldErrorReason, path: Path, head: string, detail: string): FieldError {
  return { reason, field: String(path), body: detail === '' ? head : `${head}: ${detail}` };
}
