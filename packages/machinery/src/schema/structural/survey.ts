import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { isKnownFormat } from '../formats/index.ts';

/** Facts about schemas that are found in one cheap pass, before any check. */
export interface SchemaSurvey {
  /**
   * Number of schemas, those in combinators included, and of the values in defaults and enums, which are checked and
   * stored too.
   */
  parts: number;
  readonly patterns: Set<string>;
  hasDefaults: boolean;
  hasRules: boolean;
  /** Formats that do not apply to their type. */
  readonly unknownFormats: Set<string>;
}

/** Surveys several schemas together. */
export function surveySchemas(schemas: readonly JsonObject[]): SchemaSurvey {
  const survey: SchemaSurvey = {
    parts: 0,
    patterns: new Set(),
    hasDefaults: false,
    hasRules: false,
    unknownFormats: new Set(),
  };
  for (const schema of schemas) visit(schema, survey);
  return survey;
}

function visit(schema: JsonValue | undefined, survey: SchemaSurvey): void {
  if (!isJsonObject(schema)) return;
  survey.parts++;
  record(schema, survey);
  const { properties, definitions, dependencies, additionalProperties, items, not, allOf, anyOf, oneOf } = schema;
  for (const named of [properties, definitions, dependencies]) {
    if (isJsonObject(named)) for (const name of Object.keys(named)) visit(named[name], survey);
  }
  visit(additionalProperties, survey);
  visit(items, survey);
  visit(not, survey);
  for (const combinator of [allOf, anyOf, oneOf]) {
    if (Array.isArray(combinator)) for (const inner of combinator) visit(inner, survey);
  }
}

function record(schema: JsonObject, survey: SchemaSurvey): void {
  const { pattern, format, type, default: fallback, enum: choices } = schema;
  if (typeof pattern === 'string') survey.patterns.add(pattern);
  if (typeof format === 'string' && format !== '' && !isKnownFormat(typeOf(type), format)) {
    survey.unknownFormats.add(format);
  }
  if (fallback !== undefined && fallback !== null) {
    survey.hasDefaults = true;
    survey.parts += valuesIn(fallback);
  }
  if (choices !== undefined) survey.parts += valuesIn(choices);
  if (Array.isArray(schema['x-kubernetes-validations'])) survey.hasRules = true;
}

function typeOf(type: JsonValue | undefined): string | undefined {
  return typeof type === 'string' && type !== '' ? type : undefined;
}

function valuesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) count += valuesIn(inner);
  return count;
}
