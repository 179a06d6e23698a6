import type { GroupKind } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, invalid, invalidError, notSupported, tooLong } from '@pintle/machinery/errors';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** What a client may say about a write, whichever kind of write it is. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const MAX_FIELD_MANAGER_BYTES = 128;
const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Reads the query of a create, update or patch. `kind` names the options in errors: `CreateOptions`. */
export function readWriteOptions(query: URLSearchParams, kind: string, more: readonly FieldError[] = []): WriteOptions {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [...more, ...checkFieldManager(fieldManager), ...checkDryRun(dryRun)];
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    errors.push(notSupported('fieldValidation', fieldValidation, FIELD_VALIDATIONS));
  }
  refuse(kind, errors);
  return {
    isDryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
  };
}

export function checkDryRun(values: readonly string[]): FieldError[] {
  return values.length === 0 || (values.length === 1 && values[0] === 'All')
    ? []
    : values.every((value) => value === 'All')
      ? []
      : [notSupported('dryRun', values, ['All'])];
}

/** Throws Invalid for options of this kind when there are errors. */
export function refuse(kind: string, errors: readonly FieldError[]): void {
  const groupKind: GroupKind = { group: 'meta.k8s.io', kind };
  if (errors.length > 0) throw invalidError(groupKind, '', errors);
}

function checkFieldManager(name: string): FieldError[] {
  if (Buffer.byteLength(name) > MAX_FIELD_MANAGER_BYTES) return [tooLong('fieldManager', MAX_FIELD_MANAGER_BYTES)];
  const errors: FieldError[] = [];
  Array.from(name).forEach((char, i) => {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid('fieldManager', name, `invalid character U+${code} (at position ${i})`));
    }
  });
  return errors;
}

function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

/** A whole number in a query, in Go's words when it is none. `undefined` when the parameter is absent or empty. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d{1,18}$/.test(text)) {
    throw badRequestError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}
