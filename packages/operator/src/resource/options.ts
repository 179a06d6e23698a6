import type { CustomResourceSubresources, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { Scope } from '@pintle/machinery';
import type { ResourceSchema } from './resource-schema.ts';
import type { Rule } from './schema-helpers.ts';

/** A column of `kubectl get`. */
export interface ColumnOptions {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  /**
   * Path of the value: `.spec.weight`, `.status.conditions[?(@.type=="Ready")].status`. A wrong path does not compile; for
   * one that the compiler cannot check, write `'…' as string`.
   */
  readonly jsonPath: string;
  readonly format?: 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password';
  readonly description?: string;
  /** Columns above 0 are only shown with `-o wide`. */
  readonly priority?: number;
}

/** Paths of the scale subresource, for `kubectl scale` and autoscalers. */
export interface ScaleOptions {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Options of a version. */
export interface VersionOptions<
  Spec extends ResourceSchema | undefined = ResourceSchema | undefined,
  Status extends ResourceSchema | undefined = ResourceSchema | undefined,
> {
  readonly spec?: Spec;
  /** Adds the status subresource: writes of the object and of its status do not affect each other. */
  readonly status?: Status;
  readonly description?: string;
  readonly columns?: readonly ColumnOptions[];
  readonly scale?: ScaleOptions;
  /** Fields for field selectors: `.spec.color`. */
  readonly selectableFields?: readonly string[];
  /** CEL rules for the whole object: `self.spec`, `self.status`, `self.metadata.name`. */
  readonly rules?: readonly Rule[];
  /**
   * Keywords of the root schema, which override the derived ones: `required`, or `properties` beside spec and status. With
   * `required`, whether the spec is required is not derived from its fields.
   */
  readonly schema?: Omit<JSONSchemaProps, 'type'>;
  /** Overrides the subresources that follow from `status` and `scale`. */
  readonly subresources?: CustomResourceSubresources;
  /** Default: true. */
  readonly served?: boolean;
  /** True, or the text of the warning that clients get. */
  readonly deprecated?: boolean | string;
}

/** Options that all versions share. */
export interface ResourceOptions<S extends Scope = Scope> {
  readonly group: string;
  readonly kind: string;
  /** Default: the English plural of the kind in lower case. */
  readonly plural?: string;
  readonly singular?: string;
  /** Default: the kind with the suffix `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** `all` includes it in `kubectl get all`. */
  readonly categories?: readonly string[];
  /** Default: Namespaced. */
  readonly scope?: S;
  readonly description?: string;
  /** Labels of the CustomResourceDefinition. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
