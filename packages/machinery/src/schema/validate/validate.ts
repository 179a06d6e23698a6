import { addErrors, type FieldError, FieldPath } from '../../errors/index.ts';
import type { JsonValue } from '../../json/index.ts';
import type { SchemaNode } from '../node.ts';
import { checkEmbedded } from './embedded.ts';
import { checkListTypes } from './list-types.ts';
import { ValidationLimitError, ValidationRun } from './run.ts';
import { ValueChecker } from './value-checker.ts';

export interface ValidateOptions {
  /** The value this one replaces. What was wrong with it and has not changed is not held against the new one. */
  readonly previous?: JsonValue;
  /** Where the value stands in the object that errors speak of. Messages keep to the value itself, as Kubernetes' do. */
  readonly path?: FieldPath | string;
  /** What others have found wrong with the values, told right after what the schema holds against them. */
  readonly alsoFound?: readonly FieldError[];
}

/** Everything wrong with a value: first by its schema, then its embedded objects, then the keys of its lists. */
export function validate(value: JsonValue, node: SchemaNode, options: ValidateOptions): FieldError[] {
  const prefix = options.path === undefined ? undefined : String(options.path);
  const errors = validateValues(value, node, options);
  addErrors(errors, options.alsoFound ?? []);
  checkEmbedded(value, node, prefix === undefined ? undefined : FieldPath.of(prefix), errors);
  addErrors(errors, checkLists(value, node, prefix, options.previous));
  return errors;
}

/** What is wrong by the schema alone. Most values are valid, and then what stood there before does not matter. */
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
    run.giveUp(error);
  }
  return run.errors;
}

/** Duplicates are held against an object only if it had none before. */
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

/** Several alternatives may complain about the same thing. */
function withoutRepeats(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors;
  const seen = new Set<string>();
  return errors.filter(({ field, body }) => {
    const key = `${field}\n${body}`;
    return !seen.has(key) && seen.add(key);
  });
}
