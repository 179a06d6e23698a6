import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonValue } from '@pintle/machinery/json';
import { typeOfKind, types } from './generated/types.ts';

/** By OpenAPI name: the schema as JSON text, and how Go encodes its fields (schemas.ts reads it). */
export type TypeTable = Readonly<Record<string, readonly [schema: string, goFacts: string]>>;

/** A component schema of the OpenAPI document. Descriptions are separate: see `@pintle/kinds/descriptions`. */
export interface OpenApiSchema {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-unions'?: readonly JsonValue[];
}

/** Returns the OpenAPI names of all built-in types. */
export function typeNames(): readonly string[] {
  return Object.keys(types);
}

/** Kinds that every group version has; the definitions list them under a few groups only. */
const kindsEverywhere: ReadonlySet<string> = new Set(['DeleteOptions', 'WatchEvent']);

/** Returns the OpenAPI name of a kind's type, such as `io.k8s.api.apps.v1.Deployment`. */
export function typeNameOf({ group, version, kind }: GroupVersionKind): string | undefined {
  const key = kindsEverywhere.has(kind) ? `/v1/${kind}` : `${group}/${version}/${kind}`;
  return Object.hasOwn(typeOfKind, key) ? typeOfKind[key] : undefined;
}

/** Returns the kinds of a type: one for most types, none for parts of objects. */
export function gvksOf(typeName: string): readonly GroupVersionKind[] {
  return openapiOfType(typeName)?.['x-kubernetes-group-version-kind'] ?? [];
}

/** Returns the component schema as the API publishes it, without descriptions; a new object at every call. */
export function openapiOfType(typeName: string): OpenApiSchema | undefined {
  const row = rowOf(typeName);
  return row && (JSON.parse(row[0]) as OpenApiSchema);
}

export function goFactsOfType(typeName: string): string | undefined {
  return rowOf(typeName)?.[1];
}

function rowOf(typeName: string): readonly [string, string] | undefined {
  return Object.hasOwn(types, typeName) ? types[typeName] : undefined;
}
