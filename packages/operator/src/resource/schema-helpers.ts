import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { isJsonObject } from '@pintle/machinery/json';
import { z } from 'zod';
import { EXACT_KEYWORDS } from './resource-schema.ts';

/** CEL rule, as in `x-kubernetes-validations`: `{ rule: 'self.min <= self.max', message: '…' }`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  /** CEL expression of the message. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
  /** Path of the field in the error, below `self`: `.min`. */
  readonly fieldPath?: string;
  /** True evaluates the rule also when there was no value before; `oldSelf` is then optional. */
  readonly optionalOldSelf?: boolean;
}

/** Adds rules that the server checks. */
export function rule<S extends z.ZodType>(schema: S, ...rules: readonly Rule[]): S {
  const known = schema.meta()?.['x-kubernetes-validations'];
  return extend(schema, { 'x-kubernetes-validations': [...(Array.isArray(known) ? known : []), ...rules] });
}

/** Makes a list a map by some fields of its items: items have separate field managers. */
export function listMap<S extends z.ZodType<readonly object[] | undefined>>(schema: S, keys: readonly string[]): S {
  return extend(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] });
}

/** Makes a list a set of unique values: values have separate field managers. */
export function listSet<S extends z.ZodType<readonly unknown[] | undefined>>(schema: S): S {
  return extend(schema, { 'x-kubernetes-list-type': 'set' });
}

/** Makes a list, map or object atomic: it has one field manager and is replaced as a whole. */
export function atomic<S extends z.ZodType<object | undefined>>(schema: S): S {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return extend(schema, { [json.type === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type']: 'atomic' });
}

/** Keeps unknown fields of an object, which the server would otherwise drop. */
export function preserveUnknown<S extends z.ZodType>(schema: S): S {
  return extend(schema, { 'x-kubernetes-preserve-unknown-fields': true });
}

/** Integer or string, as in ports and rolling updates: `8080`, `http`, `25%`. */
export function intOrString(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}

/** Quantity, as in resources: `500m`, `2Gi`, `1`. `Quantity` of `@pintle/machinery/quantity` parses it. */
export function quantity(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(QUANTITY)]);
}

const DECIMAL = String.raw`([0-9]+(\.[0-9]*)?|\.[0-9]+)`;
const QUANTITY = new RegExp(`^[+-]?${DECIMAL}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${DECIMAL})?$`);

/** Object of any kind; the server validates only its apiVersion, kind and metadata. */
export function embeddedResource(): typeof EMBEDDED {
  return EMBEDDED;
}

const EMBEDDED = z
  .looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({}).optional() })
  .meta({ 'x-kubernetes-embedded-resource': true });

/**
 * Keeps the type, and writes exactly these keywords into the definition. Only nested schemas follow from the type: fields and
 * which of them are required, items, values by key. For keywords that Zod lacks: `not`, `oneOf` over fields, custom formats.
 */
export function exactly<S extends z.ZodType>(schema: S, keywords: JSONSchemaProps): S {
  return extend(schema, { [EXACT_KEYWORDS]: keywords });
}

/** Adds metadata, and keeps the existing metadata except the id. */
function extend<S extends z.ZodType>(schema: S, extensions: object): S {
  const known = schema.meta();
  const { id: _id, ...kept } = isJsonObject(known) ? known : {};
  return schema.meta({ ...kept, ...extensions });
}
