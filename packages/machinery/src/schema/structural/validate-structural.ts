import { addErrors, describeFieldError, type FieldError, FieldPath, forbidden, invalid } from '../../errors/index.ts';
import { compareUtf8, type JsonObject } from '../../json/index.ts';
import { finish, type Steps } from '../../rules/steps.ts';
import { compilePattern } from '../patterns.ts';
import { checkCompleteness } from './completeness.ts';
import { checkDefaults } from './default-values.ts';
import { checkInvariants } from './invariants.ts';
import { checkKeywords, unstructuredReason } from './keywords.ts';
import { flagAt, type PlacedSchema } from './schema-json.ts';
import { surveySchemas } from './survey.ts';

/**
 * What is wrong with the schema of a CustomResourceDefinition, which must be structural. It takes the schema as it was
 * written: the model has no room for most of what is refused here. CEL rules are checked as texts only.
 */
export function validateStructural(json: JsonObject, path: FieldPath | string): FieldError[] {
  return finish(validateStructuralInSteps(json, path)).errors;
}

/** What is wrong with a schema, and what that leaves for those who look at its rules. */
interface StructuralFindings {
  readonly errors: FieldError[];
  /** Whether types can be made of the schema. */
  readonly isStructural: boolean;
  /** Those of the errors that are about keywords: what is in their place or above it means nothing yet. */
  readonly misused: readonly FieldError[];
}

/**
 * As `validateStructural`, with pauses between one look at all of the schema and the next, and between patterns.
 * `isRefused`: something else is wrong with it already, so that it need not be said that nothing could be made of it.
 */
export function* validateStructuralInSteps(
  json: JsonObject,
  path: FieldPath | string,
  { isRefused = false }: { readonly isRefused?: boolean } = {},
): Steps<StructuralFindings> {
  const root: PlacedSchema = { json, path: typeof path === 'string' ? FieldPath.of(path) : path };
  const errors: FieldError[] = [];
  if (flagAt(json, 'nullable'))
    errors.push(forbidden(root.path.child('nullable'), 'nullable cannot be true at the root'));
  const reason = unstructuredReason(json);
  const structural = reason === undefined ? yield* structuralErrors(root) : [];
  addErrors(errors, structural);
  const misused: FieldError[] = [];
  checkKeywords(root, misused);
  addErrors(errors, misused);
  if (errors.length === 0 && !isRefused && reason !== undefined) errors.push(invalid(root.path, '', reason));
  return { errors, isStructural: reason === undefined && structural.length === 0, misused };
}

/** Defaults are looked at only in a schema that is structural. */
function* structuralErrors(root: PlacedSchema): Steps<FieldError[]> {
  const { patterns, hasDefaults } = surveySchemas([root.json]);
  yield* rememberPatterns(patterns);
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

/** What follows finds them compiled. */
function* rememberPatterns(patterns: Iterable<string>): Steps<void> {
  for (const pattern of patterns) {
    compilePattern(pattern);
    yield;
  }
}

function byDescription(errors: readonly FieldError[]): FieldError[] {
  const described = errors.map((error) => ({ error, text: describeFieldError(error) }));
  return described.sort((a, b) => compareUtf8(a.text, b.text)).map(({ error }) => error);
}
