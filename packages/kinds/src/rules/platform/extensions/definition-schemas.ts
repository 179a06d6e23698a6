import { validateRules } from '@pintle/cel';
import { duplicate, type FieldError, type FieldPath, invalid, required, tooMany } from '@pintle/machinery/errors';
import { asJson, deepEqual, getOwn, type JsonObject } from '@pintle/machinery/json';
import { followFieldPath, surveySchemas, validateStructuralInSteps } from '@pintle/machinery/schema';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  SelectableField,
} from '../../../generated/apiextensions/v1.ts';
import type { Check } from '../../common/checks.ts';
import { goSchema, SCHEMA_FIELDS } from './go-schema.ts';

export function schemaOf({ schema }: CustomResourceDefinitionVersion): JsonObject | undefined {
  return asJson(schema?.openAPIV3Schema);
}

/**
 * Most parts of a definition's schemas: more than the largest real definitions have, and few enough to be validated
 * without delaying other requests.
 */
const MAX_PARTS = 20_000;
const MAX_PATTERN_LENGTH = 20_000;
/** Cost of compiling even the shortest pattern, in characters. */
const PATTERN_OVERHEAD = 20;
/** Most errors that are reported. */
const MAX_ERRORS = 1_000;

/** Returns why the schemas of a definition are too large to be validated; `undefined` when they are not. */
export function schemaSizeProblem({ versions }: CustomResourceDefinitionSpec): string | undefined {
  const schemas = (versions ?? []).map(schemaOf).filter((schema) => schema !== undefined);
  const { parts, patterns } = surveySchemas(schemas);
  let patternLength = 0;
  for (const pattern of patterns) patternLength += pattern.length + PATTERN_OVERHEAD;
  if (parts > MAX_PARTS) return `schemas must not have more than ${MAX_PARTS} parts in all, but have ${parts}`;
  return patternLength > MAX_PATTERN_LENGTH
    ? `patterns must not be longer than ${MAX_PATTERN_LENGTH} in all`
    : undefined;
}

/** A check that yields `undefined` where it pauses, so that other work may go first. */
export type SlowCheck = Generator<FieldError | undefined, void, undefined>;

/** Checks a schema, and the keywords at its root. `parent` is the path of the object that holds `openAPIV3Schema`. */
export function* checkSchema(schema: JsonObject, parent: FieldPath, hasStatus: boolean): SlowCheck {
  const path = parent.child('openAPIV3Schema');
  const atRoot = hasStatus ? [...checkRoot(schema, path)] : [];
  yield* atRoot;
  const found = yield* validateStructuralInSteps(schema, path, { isRefused: atRoot.length > 0 });
  yield* found.errors.slice(0, MAX_ERRORS);
  yield undefined;
  if (found.isStructural && surveySchemas([schema]).hasRules)
    yield* yield* validateRules(schema, path, found.keywordErrors);
}

/**
 * Keywords allowed at the root with a status subresource. Status and spec are validated separately, so the root must
 * not relate them.
 */
const ALLOWED_AT_ROOT = new Set([
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]);

function* checkRoot(schema: JsonObject, path: FieldPath): Check {
  for (const [, keyword] of SCHEMA_FIELDS) {
    const value = getOwn(schema, keyword);
    if (isZero(value) && !(value === '' && SET_WHEN_EMPTY.has(keyword))) continue;
    if (keyword === 'type' && value !== 'object') {
      const only =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      yield invalid(path.child('type'), value, only);
      return;
    }
    if (ALLOWED_AT_ROOT.has(keyword)) continue;
    const allowed = SCHEMA_FIELDS.filter(([, name]) => ALLOWED_AT_ROOT.has(name)).map(([name]) => name);
    const only = `only [${allowed.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    yield invalid(path, goSchema(schema), only);
    return;
  }
}

/** Keywords that count as set even when they are empty. */
const SET_WHEN_EMPTY = new Set(['$ref', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return false;
  return value === undefined || value === null || value === false || value === '';
}

const MAX_SELECTABLE_FIELDS = 8;
const SELECTABLE_TYPES = new Set<unknown>(['string', 'boolean', 'integer']);

export function* checkSelectableFields(
  fields: readonly SelectableField[],
  schema: JsonObject,
  path: FieldPath,
  { allowsTooMany = false }: { readonly allowsTooMany?: boolean } = {},
): Check {
  const known = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = path.index(index).child('jsonPath');
    if (!jsonPath) {
      yield required(at);
      continue;
    }
    const target = followFieldPath(jsonPath, schema, { allowsBrackets: false });
    if ('problem' in target) {
      yield invalid(at, jsonPath, `is an invalid path: ${target.problem}`);
      continue;
    }
    if (target.steps[0] === 'metadata') yield invalid(at, jsonPath, 'must not point to fields in metadata');
    if (!SELECTABLE_TYPES.has(getOwn(target.schema, 'type'))) yield invalid(at, jsonPath, NOT_SELECTABLE);
    const name = JSON.stringify(target.steps);
    if (known.has(name)) yield duplicate(at, jsonPath);
    known.add(name);
  }
  if (known.size > MAX_SELECTABLE_FIELDS && !allowsTooMany) yield tooMany(path, known.size, MAX_SELECTABLE_FIELDS);
}

const NOT_SELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** Selectable fields beyond the limit may stay unchanged. */
export function keepsTooMany(
  version: CustomResourceDefinitionVersion,
  previous: CustomResourceDefinitionSpec | undefined,
): boolean {
  const before = previous?.versions.find(({ name }) => name === version.name)?.selectableFields ?? [];
  return before.length > MAX_SELECTABLE_FIELDS && deepEqual(before, version.selectableFields);
}

/** Warns once about each unsupported format, and not again when the definition changes. */
export function formatWarnings(next: CustomResourceDefinition, previous?: CustomResourceDefinition): string[] {
  const known = new Set(previous === undefined ? [] : formatsOf(previous));
  const unknown = new Set(formatsOf(next).filter((format) => !known.has(format)));
  return [...unknown].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function formatsOf({ spec }: CustomResourceDefinition): string[] {
  const schemas = (spec?.versions ?? []).map(schemaOf).filter((schema) => schema !== undefined);
  return [...surveySchemas(schemas).unknownFormats];
}
