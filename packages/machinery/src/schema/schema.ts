import type { JsonValue } from '../json/value.ts';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
export type ListType = 'atomic' | 'set' | 'map';
export type MapType = 'atomic' | 'granular';

/**
 * Decides about a field of a built-in kind whose value is Go's zero (`false`, `0`, `""`, empty list or map):
 * - `keep`: absent and zero differ (a pointer in Go); what was written stays, `null` becomes absent;
 * - `omit`: zero is absent (a plain field with `omitempty`);
 * - `emit`: absent is zero (a plain field without `omitempty`); `{}` for structs, `null` for lists and maps.
 */
export type ZeroRule = 'keep' | 'omit' | 'emit';

/** A rule in CEL that a value must satisfy (`x-kubernetes-validations`). */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/**
 * The one model of schemas, for built-in kinds and custom resources alike. A schema graph may be cyclic
 * (JSONSchemaProps refers to itself): walkers memoise by identity.
 */
export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  /** The format is checked although it is unknown, or values of the type have no such format. Set where defaults are checked. */
  readonly anyFormat?: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];

  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** `true` allows any value; when absent beside `properties`, no other fields are allowed. */
  readonly additionalProperties?: Schema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;

  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;

  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;

  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;

  /** x-kubernetes-list-type; a list without one is atomic. */
  readonly listType?: ListType;
  readonly listMapKeys?: readonly string[];
  /** x-kubernetes-map-type; a map without one is granular. */
  readonly mapType?: MapType;
  readonly intOrString?: boolean;
  readonly embeddedResource?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly validations?: readonly ValidationRule[];

  /** x-kubernetes-patch-strategy (`merge`, `retainKeys`, `merge,retainKeys`) and its key; built-in kinds only. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;

  /** Built-in kinds only: Go's encoding of this field's zero value. */
  readonly zero?: ZeroRule;
  /** Built-in kinds only: the name of the Go type, for decode errors: `DeploymentSpec`, `v1.Container`. */
  readonly goType?: string;
  /** For a field of a struct that Go embeds: the name of that struct, as errors print it. */
  readonly goStruct?: string;
}
