import type { JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { regexes } from 'zod';

/**
 * A schema of any library that speaks Standard JSON Schema (Zod 4, ArkType, Valibot with its converter …). What it takes
 * is what people write; what it gives is what they read, with defaults filled in by the server.
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

/** Marks, in JSON Schema, what has no counterpart there, so that it can be told where it stands. */
export const PROBLEM = 'x-pintle-problem';

/** Holds, in JSON Schema, words that are taken as they are. */
export const EXACT_WORDS = 'x-pintle-exactly';

/** The schema as JSON Schema, draft 2020-12, of what people write. */
export function jsonSchemaOf(schema: ResourceSchema): JsonObject {
  const { jsonSchema } = schema['~standard'];
  const libraryOptions = { unrepresentable: 'any', override: refineZod };
  return jsonSchema.input({ target: 'draft-2020-12', libraryOptions }) as JsonObject;
}

/** Whether the schema takes `undefined`: the field may be left out. */
export function isOptional(schema: ResourceSchema): boolean {
  const result = schema['~standard'].validate?.(undefined);
  return typeof result === 'object' && result !== null && !('then' in result) && !('issues' in result && result.issues);
}

interface ZodSeen {
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

/** What Zod knows and its JSON Schema does not tell. */
function refineZod({ zodSchema, jsonSchema }: ZodSeen): void {
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
  custom: 'a refinement cannot run in the server: say it in CEL with rule(), or in a validating webhook',
  overwrite: `trimming and changing of case have no place in a resource: ${NEVER_PARSED}`,
});

/** Formats that mean the same to Kubernetes, whose check then takes the place of Zod's pattern. */
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

/** Formats of which people choose a narrower kind, which their pattern alone tells. */
const NARROWED_BY_PATTERN: ReadonlySet<string> = new Set(['email', 'uuid']);
const USUAL_PATTERNS: ReadonlySet<string> = new Set([regexes.email, regexes.uuid(), regexes.guid].map((r) => r.source));

/** JSON Schema has no flags of patterns; Go's dialect, which the server uses, has them inside. */
function writeFlags(json: JsonObject, { source, flags }: RegExp): void {
  const kept = [...flags].filter((flag) => 'ims'.includes(flag)).join('');
  if (kept === '') return;
  const places = [json, ...(Array.isArray(json.allOf) ? (json.allOf as JsonObject[]) : [])];
  for (const place of places) if (place.pattern === source) place.pattern = `(?${kept})${source}`;
}
