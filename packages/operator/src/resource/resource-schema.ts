import type { JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { regexes } from 'zod';

/**
 * Schema of any library that supports Standard JSON Schema (Zod 4, ArkType, Valibot with its converter …). Its input is the
 * written object; its output is the object as read, with the defaults that the server fills in.
 */
export interface ResourceSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      input(options: {
        readonly target: 'draft-2020-12';
        readonly libraryOptions?: Record<string, unknown> | undefined;
      }): Record<string, unknown>;
    };
    validate?(value: unknown): unknown;
  };
}

export type InputOf<S extends ResourceSchema> = NonNullable<S['~standard']['types']>['input'];
export type OutputOf<S extends ResourceSchema> = NonNullable<S['~standard']['types']>['output'];

/** Marks parts without a counterpart in JSON Schema, so that the error has their path. */
export const PROBLEM = 'x-pintle-problem';

/** Holds keywords that are copied unchanged. */
export const EXACT_KEYWORDS = 'x-pintle-exactly';

/** Returns the input of the schema as JSON Schema, draft 2020-12. */
export function jsonSchemaOf(schema: ResourceSchema): JsonObject {
  const { jsonSchema } = schema['~standard'];
  const libraryOptions = { unrepresentable: 'any', override: refineZod };
  return jsonSchema.input({ target: 'draft-2020-12', libraryOptions }) as JsonObject;
}

/** True when the schema accepts `undefined`: the field is optional. */
export function isOptional(schema: ResourceSchema): boolean {
  const result = schema['~standard'].validate?.(undefined);
  return typeof result === 'object' && result !== null && !('then' in result) && !('issues' in result && result.issues);
}

interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: ZodDef } };
  readonly jsonSchema: JsonObject;
}

interface ZodDef {
  readonly type: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly checks?: readonly { readonly _zod: { readonly def: ZodCheck } }[];
}

interface ZodCheck {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
}

/** Adds what Zod knows and leaves out of JSON Schema. */
function refineZod({ zodSchema, jsonSchema }: ZodNode): void {
  const { def } = zodSchema._zod;
  const checks = [def as unknown as ZodCheck, ...(def.checks ?? []).map((check) => check._zod.def)];
  const problem = UNREPRESENTABLE[def.type] ?? checks.map(({ check }) => UNCHECKABLE[check]).find(Boolean);
  if (problem !== undefined) jsonSchema[PROBLEM] = problem;
  if (def.type === 'string') refineText(jsonSchema, checks);
  if (def.type === 'number' && checks.some(({ format }) => format === 'int32')) jsonSchema.format = 'int32';
}

const NEVER_PARSED = 'objects are read as the server sends them, so nothing would run it';
const UNREPRESENTABLE: Readonly<Record<string, string>> = table({
  pipe: `a transform, pipe or codec has no place in a resource: ${NEVER_PARSED}`,
  transform: `a transform has no place in a resource: ${NEVER_PARSED}`,
  catch: `a fallback has no place in a resource: ${NEVER_PARSED}; default() is applied by the server`,
  promise: 'a promise cannot be stored',
  date: 'a Date cannot be stored: use z.iso.datetime()',
  bigint: 'a bigint cannot be promised: use z.int()',
  custom: 'a custom type cannot be checked by the server: describe its shape',
  file: 'a file cannot be stored',
  function: 'a function cannot be stored',
  map: 'a Map cannot be stored: use z.record()',
  set: 'a Set cannot be stored: use listSet(z.array(…))',
  nan: 'NaN cannot be stored',
  symbol: 'a symbol cannot be stored',
  undefined: 'undefined cannot be stored: use optional()',
  void: 'void cannot be stored',
  never: 'nothing can be stored here: leave the field out',
});

const UNCHECKABLE: Readonly<Record<string, string>> = table({
  custom: 'a refinement cannot run in the server: use a CEL rule, rule(), or a validating webhook',
  overwrite: `trimming and changing of case have no place in a resource: ${NEVER_PARSED}`,
});

/** Formats that Kubernetes checks in the same way, instead of Zod's pattern. */
const SAME_FORMATS: Readonly<Record<string, string>> = table({
  'date-time': 'date-time',
  base64: 'byte',
  date: 'date',
  email: 'email',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  mac: 'mac',
  uri: 'uri',
  uuid: 'uuid',
});

function refineText(json: JsonObject, checks: readonly ZodCheck[]): void {
  const patterns = checks.flatMap(({ pattern }) => (pattern instanceof RegExp ? [pattern] : []));
  for (const pattern of patterns) writeFlags(json, pattern);
  const format = SAME_FORMATS[String(json.format)];
  if (format === undefined) return;
  json.format = format;
  if (!NARROWED_BY_PATTERN.has(format) || USUAL_PATTERNS.has(String(json.pattern))) delete json.pattern;
}

/** Formats with narrower variants, which only their pattern expresses. */
const NARROWED_BY_PATTERN: ReadonlySet<string> = new Set(['email', 'uuid']);
const USUAL_PATTERNS: ReadonlySet<string> = new Set([regexes.email, regexes.uuid(), regexes.guid].map((r) => r.source));

/** Writes flags into the pattern, as Go's dialect allows: JSON Schema has no flags. */
function writeFlags(json: JsonObject, { source, flags }: RegExp): void {
  const kept = [...flags].filter((flag) => 'ims'.includes(flag)).join('');
  if (kept === '') return;
  const schemas = [json, ...(Array.isArray(json.allOf) ? (json.allOf as JsonObject[]) : [])];
  for (const schema of schemas) if (schema.pattern === source) schema.pattern = `(?${kept})${source}`;
}
