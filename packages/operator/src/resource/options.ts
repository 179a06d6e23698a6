import type { CustomResourceSubresources, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { Scope } from '@pintle/machinery';
import type { ResourceSchema } from './resource-schema.ts';
import type { Rule } from './schema-helpers.ts';

/** A column of `kubectl get`. */
export interface ColumnOptions {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date';
  /**
   * Where the value stands: `.spec.weight`, `.status.conditions[?(@.type=="Ready")].status`. One that leads nowhere does
   * not compile; for a path that the compiler cannot follow, say so: `'…' as string`.
   */
  readonly jsonPath: string;
  readonly format?: 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password';
  readonly description?: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority?: number;
}

/** Where the replicas stand, so that `kubectl scale` and autoscalers work. */
export interface ScaleOptions {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** What a version of a resource looks like. */
export interface VersionOptions<
  Spec extends ResourceSchema | undefined = ResourceSchema | undefined,
  Status extends ResourceSchema | undefined = ResourceSchema | undefined,
> {
  readonly spec?: Spec;
  /** With a status, the resource has the status subresource: whoever writes one part leaves the other alone. */
  readonly status?: Status;
  readonly description?: string;
  readonly columns?: readonly ColumnOptions[];
  readonly scale?: ScaleOptions;
  /** Fields that lists can be restricted by: `.spec.color`. */
  readonly selectableFields?: readonly string[];
  /** Rules in CEL about the object as a whole: `self.spec`, `self.status`, `self.metadata.name`. */
  readonly rules?: readonly Rule[];
  /**
   * Words of the schema of the object as a whole, in the place of those that would be found: `required`, or `properties`
   * beside spec and status. With `required` it is said whether the spec is; nothing is concluded from its fields.
   */
  readonly schema?: Omit<JSONSchemaProps, 'type'>;
  /** In the place of those that follow from `status` and `scale`. */
  readonly subresources?: CustomResourceSubresources;
  /** Default: true. */
  readonly served?: boolean;
  /** Clients are warned, with these words. */
  readonly deprecated?: boolean | string;
}

/** What all versions of a resource have in common. */
export interface ResourceOptions<S extends Scope = Scope> {
  readonly group: string;
  readonly kind: string;
  /** Default: the kind in lower case, in the plural of English. */
  readonly plural?: string;
  readonly singular?: string;
  /** Default: the kind and `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** `all`: shown by `kubectl get all`. */
  readonly categories?: readonly string[];
  /** Default: Namespaced. */
  readonly scope?: S;
  readonly description?: string;
  /** Of the CustomResourceDefinition. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
