import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { isJsonObject } from '@pintle/machinery/json';
import { z } from 'zod';
import { EXACT_WORDS } from './resource-schema.ts';

/** A rule in CEL, as in `x-kubernetes-validations`: `{ rule: 'self.min <= self.max', message: '…' }`. */
export interface Rule {
  readonly rule: string;
  readonly message?: string;
  /** CEL that makes the message. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueDuplicate' | 'FieldValueForbidden' | 'FieldValueInvalid' | 'FieldValueRequired';
  /** The field to blame, below `self`: `.min`. */
  readonly fieldPath?: string;
  /** The rule is also asked where there was no value before; `oldSelf` is then optional. */
  readonly optionalOldSelf?: boolean;
}

/** The same schema with rules that the server checks. */
export function rule<S extends z.ZodType>(schema: S, ...rules: readonly Rule[]): S {
  const known = schema.meta()?.['x-kubernetes-validations'];
  return extend(schema, { 'x-kubernetes-validations': [...(Array.isArray(known) ? known : []), ...rules] });
}

/** A list whose items are known by some of their fields: who applies one item leaves the others alone. */
export function listMap<S extends z.ZodType<readonly object[] | undefined>>(schema: S, keys: readonly string[]): S {
  return extend(schema, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] });
}

/** A list of values that are each there once: who applies one value leaves the others alone. */
export function listSet<S extends z.ZodType<readonly unknown[] | undefined>>(schema: S): S {
  return extend(schema, { 'x-kubernetes-list-type': 'set' });
}

/** A list, map or object that has one owner and is replaced as a whole. */
export function atomic<S extends z.ZodType<object | undefined>>(schema: S): S {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return extend(schema, { [json.type === 'array' ? 'x-kubernetes-list-type' : 'x-kubernetes-map-type']: 'atomic' });
}

/** The same object; fields it does not know are kept instead of dropped. */
export function preserveUnknown<S extends z.ZodType>(schema: S): S {
  return extend(schema, { 'x-kubernetes-preserve-unknown-fields': true });
}

/** A number or a string, as ports and rolling updates have them: `8080`, `http`, `25%`. */
export function intOrString(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}

/** An amount of something, as in resources: `500m`, `2Gi`, `1`. `Quantity` of the machinery reads it. */
export function quantity(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(QUANTITY)]);
}

const DECIMAL = String.raw`([0-9]+(\.[0-9]*)?|\.[0-9]+)`;
const QUANTITY = new RegExp(`^[+-]?${DECIMAL}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${DECIMAL})?$`);

/** A whole object of some other kind, kept as it is; only its apiVersion, kind and metadata are looked at. */
export function embeddedResource(): typeof EMBEDDED {
  return EMBEDDED;
}

const EMBEDDED = z
  .looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({}).optional() })
  .meta({ 'x-kubernetes-embedded-resource': true });

/**
 * The same type, of which the definition says just these words. Only what is below follows from the schema: fields and
 * which of them are required, items, values by key. For what a definition can say and Zod cannot: `not`, `oneOf` over
 * fields, formats of one's own.
 */
export function exactly<S extends z.ZodType>(schema: S, words: JSONSchemaProps): S {
  return extend(schema, { [EXACT_WORDS]: words });
}

/** What is known of the schema stays known of it. */
function extend<S extends z.ZodType>(schema: S, extensions: object): S {
  const known = schema.meta();
  const { id: _id, ...kept } = isJsonObject(known) ? known : {};
  return schema.meta({ ...kept, ...extensions });
}
