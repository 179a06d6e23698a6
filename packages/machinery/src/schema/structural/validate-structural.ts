import { addErrors, describeFieldError, type FieldError, FieldPath, forbidden, invalid } from '../../errors/index.ts';
import { compareUtf8, type JsonObject } from '../../json/index.ts';
import { finish, type Steps } from '../../rules/steps.ts';
import { compilePattern } from '../patterns.ts';
import { checkCompleteness } from './completeness.ts';
import { checkDefaults } from './default-values.ts';
import { checkInvariants } from './invariants.ts';
import { checkKeywords, nonStructuralReason } from './keywords.ts';
import { flagAt, type SchemaAtPath } from './schema-json.ts';
import { surveySchemas } from './survey.ts';

/**
 * Returns the errors in the schema of a CustomResourceDefinition, which must be structural. Takes the schema as it was
 * written: the model cannot represent most of what is refused here. Checks CEL rules as texts only.
 */
export function validateStructural(json: JsonObject, path: FieldPath | string): FieldError[] {
  return finish(validateStructuralInSteps(json, path)).errors;
}

/** The errors of a schema, and the facts that the check of its CEL rules needs. */
interface StructuralFindings {
  readonly errors: FieldError[];
  /** True when CEL types can be made from the schema. */
  readonly isStructural: boolean;
  /** The errors about keywords. CEL rules at or above their paths are not checked. */
  readonly keywordErrors: readonly FieldError[];
}

/**
 * As `validateStructural`, in steps: pauses between passes over the schema and between patterns. `isRefused`: the
 * schema has other errors, so the error that it cannot be converted is omitted.
 */
export function* validateStructuralInSteps(
  json: JsonObject,
  path: FieldPath | string,
  { isRefused = false }: { readonly isRefused?: boolean } = {},
): Steps<StructuralFindings> {
  const root: SchemaAtPath = { json, path: typeof path === 'string' ? FieldPath.of(path) : path };
  const errors: FieldError[] = [];
  if (flagAt(json, 'nullable'))
    errors.push(forbidden(root.path.child('nullable'), 'nullable cannot be true at the root'));
  const reason = nonStructuralReason(json);
  const structural = reason === undefined ? yield* structuralErrors(root) : [];
  addErrors(errors, structural);
  const keywordErrors: FieldError[] = [];
  checkKeywords(root, keywordErrors);
  addErrors(errors, keywordErrors);
  if (errors.length === 0 && !isRefused && reason !== undefined) errors.push(invalid(root.path, '', reason));
  return { errors, isStructural: reason === undefined && structural.length === 0, keywordErrors };
}

/** Checks defaults only if the schema is structural. */
function* structuralErrors(root: SchemaAtPath): Steps<FieldError[]> {
  const { patterns, hasDefaults } = surveySchemas([root.json]);
  yield* compilePatterns(patterns);
  const errors: FieldError[] = [];
  checkInvariants(root, errors);
  yield;
  checkCompleteness(root, errors);
  yield;
  if (errors.length > 0) return byDescription(errors);
  if (hasDefaults) checkDefaults(root, errors);
  yield;
  return errors;
}

/** Compiles patterns in steps, so that later checks find them in the cache. */
function* compilePatterns(patterns: Iterable<string>): Steps<void> {
  for (const pattern of patterns) {
    compilePattern(pattern);
    yield;
  }
}

function byDescription(errors: readonly FieldError[]): FieldError[] {
  const described = errors.map((error) => ({ error, text: describeFieldError(error) }));
  return described.sort((a, b) => compareUtf8(a.text, b.text)).map(({ error }) => error);
}
