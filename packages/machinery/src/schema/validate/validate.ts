import { addErrors, type FieldError, FieldPath } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import type { SchemaNode } from '../schema-node.ts';
import { checkEmbedded } from './embedded.ts';
import { checkListTypes } from './list-types.ts';
import { ValidationLimitError, ValidationRun } from './run.ts';
import { ValueChecker } from './value-checker.ts';

export interface ValidateOptions {
  /** The value that this one replaces. Errors that it had already, in parts that have not changed, are not reported. */
  readonly previous?: JsonValue;
  /**
   * The path of the value in its object, for the fields of errors. Messages contain the path within the value, as in
   * Kubernetes.
   */
  readonly path?: FieldPath | string;
  /** Errors that other checks found, reported right after those of the schema. */
  readonly alsoFound?: readonly FieldError[];
}

/** Returns all errors in a value: those of its schema, then of its embedded objects, then of the keys of its lists. */
export function validate(value: JsonValue, node: SchemaNode, options: ValidateOptions): FieldError[] {
  const prefix = options.path === undefined ? undefined : String(options.path);
  const errors = validateValues(value, node, options);
  addErrors(errors, options.alsoFound ?? []);
  checkEmbedded(value, node, prefix === undefined ? undefined : FieldPath.of(prefix), errors);
  addErrors(errors, checkLists(value, node, prefix, options.previous));
  return errors;
}

/** Returns the errors by the schema alone. Compares with the previous value only if there are errors, which is rare. */
export function validateValues(value: JsonValue, node: SchemaNode, options: ValidateOptions): FieldError[] {
  const prefix = options.path === undefined ? undefined : String(options.path);
  const errors = checkOnce(value, node, prefix, undefined);
  const kept =
    errors.length === 0 || options.previous === undefined ? errors : checkOnce(value, node, prefix, options.previous);
  return withoutRepeats(kept);
}

function checkOnce(
  value: JsonValue,
  { schema }: SchemaNode,
  prefix: string | undefined,
  previous: JsonValue | undefined,
): FieldError[] {
  const run = new ValidationRun(prefix);
  try {
    ValueChecker.of(schema).check(value, previous, run);
  } catch (error) {
    if (!(error instanceof ValidationLimitError)) throw error;
    run.reportLimit(error);
  }
  return run.errors;
}

/** Reports duplicates only if the previous object had none. */
function checkLists(
  value: JsonValue,
  node: SchemaNode,
  prefix: string | undefined,
  previous: JsonValue | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  checkListTypes(value, node, errors);
  if (errors.length === 0) return errors;
  if (previous !== undefined) {
    const before: FieldError[] = [];
    checkListTypes(previous, node, before);
    if (before.length > 0) return [];
  }
  return prefix === undefined ? errors : errors.map((error) => ({ ...error, field: `${prefix}.${error.field}` }));
}

/** Several alternatives may report the same error. */
function withoutRepeats(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors;
  const seen = new Set<string>();
  return errors.filter(({ field, body }) => {
    const key = `${field}\n${body}`;
    return !seen.has(key) && seen.add(key);
  });
}
