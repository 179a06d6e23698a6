import { setOwn } from '../json/index.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { Schema, ValidationRule } from './schema.ts';

/**
 * Writes a schema as `JSONSchemaProps`, which `parseSchema` reads. The values inside are shared with the schema, not
 * copied. A schema that contains itself has no such form and must not be printed.
 */
export function printSchema(schema: Schema): JsonObject {
  const json: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    const printer = printers.get(key);
    if (printer !== undefined && value !== undefined) json[printer.keyword] = printer.print(value);
  }
  return json;
}

interface Printer {
  readonly keyword: string;
  print(value: unknown): JsonValue;
}

/** The caller guarantees that the value of this field of the model is a `T`. */
function as<T>(keyword: string, print: (value: T) => JsonValue): Printer {
  return { keyword, print: (value) => print(value as T) };
}

const plain = (keyword: string) => as<JsonValue>(keyword, (value) => value);
const list = (keyword: string) => as<readonly JsonValue[]>(keyword, (values) => [...values]);
const schemas = (keyword: string) => as<readonly Schema[]>(keyword, (values) => values.map(printSchema));

function printProperties(properties: Readonly<Record<string, Schema>>): JsonObject {
  const json: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) setOwn(json, name, printSchema(property));
  return json;
}

function printRules(rules: readonly ValidationRule[]): JsonValue {
  return rules.map((rule) => {
    const json: JsonObject = {};
    for (const [key, value] of Object.entries(rule)) json[key] = value;
    return json;
  });
}

const sameKeywords = [
  ...['type', 'format', 'title', 'description', 'nullable', 'default', 'minProperties', 'maxProperties', 'minItems'],
  ...['maxItems', 'uniqueItems', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'multipleOf'],
];

const printers: ReadonlyMap<string, Printer> = new Map<string, Printer>([
  ...sameKeywords.map((word): [string, Printer] => [word, plain(word)]),
  ['enum', list('enum')],
  ['required', list('required')],
  ['properties', as('properties', printProperties)],
  [
    'additionalProperties',
    as<Schema | boolean>('additionalProperties', (value) => (typeof value === 'boolean' ? value : printSchema(value))),
  ],
  ['items', as('items', printSchema)],
  ['allOf', schemas('allOf')],
  ['anyOf', schemas('anyOf')],
  ['oneOf', schemas('oneOf')],
  ['not', as('not', printSchema)],
  ['listType', plain('x-kubernetes-list-type')],
  ['listMapKeys', list('x-kubernetes-list-map-keys')],
  ['mapType', plain('x-kubernetes-map-type')],
  ['intOrString', plain('x-kubernetes-int-or-string')],
  ['embeddedResource', plain('x-kubernetes-embedded-resource')],
  ['preserveUnknownFields', plain('x-kubernetes-preserve-unknown-fields')],
  ['validations', as('x-kubernetes-validations', printRules)],
  ['patchStrategy', plain('x-kubernetes-patch-strategy')],
  ['patchMergeKey', plain('x-kubernetes-patch-merge-key')],
]);
