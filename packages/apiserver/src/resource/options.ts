import type { GroupKind } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, invalidError, notSupported } from '@pintle/machinery/errors';
import { validateFieldManager } from '@pintle/machinery/names';
import { numberProblem } from '../compat/go-messages.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Options of every write. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export interface DeleteOptions {
  readonly isDryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
  /** Deletes an object that cannot be read, and nothing else. */
  readonly ignoresReadError?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const FIELD_VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** Reads the query of a create, update or patch. `kind` names the options in errors: `CreateOptions`. */
export function readWriteOptions(query: URLSearchParams, kind: string, more: readonly FieldError[] = []): WriteOptions {
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [...more, ...validateFieldManager(fieldManager, 'fieldManager'), ...checkDryRun(dryRun)];
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

/** Parses a whole number in a query, with Go's error messages. Returns `undefined` when the parameter is absent. */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const problem = numberProblem(text, 'ParseInt');
  if (problem !== undefined) throw badRequestError(problem);
  return Number(text);
}
