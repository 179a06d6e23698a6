import type { JsonObject, JsonValue } from '@pintle/machinery/json';

/** Helpers for the schemas of this folder. */
export const text = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more });
export const integer = (more: JsonObject = {}): JsonObject => ({ type: 'integer', format: 'int32', ...more });
export const flag = (more: JsonObject = {}): JsonObject => ({ type: 'boolean', ...more });
export const choice = (...values: string[]): JsonObject => text({ enum: values });
export const fields = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
export const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
export const mapOf = (additionalProperties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties,
  ...more,
});

/** Returns a list whose items are keyed by some of their fields. */
export const keyed = (keys: readonly string[], items: JsonObject, more: JsonObject = {}): JsonObject =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys], ...more });

export const atomic = (items: JsonObject, more: JsonObject = {}): JsonObject =>
  list(items, { 'x-kubernetes-list-type': 'atomic', ...more });

export const rules = (...validations: readonly (readonly [rule: string, message: string])[]): JsonObject => ({
  'x-kubernetes-validations': validations.map(([rule, message]) => ({ rule, message })),
});

export const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const HOST_NAME = '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
export const DURATION = '^([0-9]{1,5}(h|m|s|ms)){1,4}$';

export const quantity = (): JsonObject => ({
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: '^[+-]?([0-9]+|[0-9]+\\.[0-9]*)(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei)?$',
  'x-kubernetes-int-or-string': true,
});

/** Returns `status.conditions` as in the API conventions. */
export function conditions(): JsonObject {
  const condition = fields(
    {
      type: text({ maxLength: 316, pattern: '^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$' }),
      status: choice('True', 'False', 'Unknown'),
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      lastTransitionTime: text({ format: 'date-time' }),
      reason: text({ minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' }),
      message: text({ maxLength: 32_768 }),
    },
    { required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'] },
  );
  return keyed(['type'], condition, { maxItems: 8 });
}

export function labelSelector(): JsonObject {
  const expression = fields(
    { key: text(), operator: text(), values: atomic(text()) },
    { required: ['key', 'operator'] },
  );
  return fields(
    { matchLabels: mapOf(text()), matchExpressions: atomic(expression) },
    { 'x-kubernetes-map-type': 'atomic' },
  );
}

interface VersionOptions {
  readonly name: string;
  readonly storage: boolean;
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly root?: JsonObject;
  readonly columns?: readonly JsonObject[];
  readonly scale?: JsonObject;
}

export function version({ name, storage, spec, status, root = {}, columns = [], scale }: VersionOptions): JsonObject {
  const head = { apiVersion: text(), kind: text(), metadata: { type: 'object' } };
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: fields({ ...head, spec, status }, { required: ['spec'], ...root }) },
    subresources: { status: {}, ...(scale && { scale }) },
    additionalPrinterColumns: [...columns] as JsonValue[],
  };
}

export interface Definition {
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

export function definition(
  group: string,
  names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] },
  versions: readonly JsonObject[],
  { scope = 'Namespaced', ...spec }: { readonly scope?: string; readonly [field: string]: unknown } = {},
): Definition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, scope, names: { ...names, categories: ['real-world'] }, versions, ...spec },
  };
}

export const ageColumn: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
