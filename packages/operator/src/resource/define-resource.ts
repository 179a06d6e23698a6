import type { CustomResourceConversion, CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { type KubernetesObject, type ObjectMeta, type ResourceType, resourceType, type Scope } from '@pintle/machinery';
import { freezeDeep } from '@pintle/machinery/json';
import type { PathOf } from './column-path.ts';
import { Conversion, type Converted, type Spoke } from './conversion.ts';
import { type CompleteOptions, definitionOf } from './definition.ts';
import type { ColumnOptions, ResourceOptions, VersionOptions } from './options.ts';
import type { InputOf, OutputOf, ResourceSchema } from './resource-schema.ts';

type AnySchema = ResourceSchema | undefined;
type AnyVersions = Readonly<Record<string, VersionOptions>>;
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

interface Identity {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

type Field<Name extends string, Value> = undefined extends Value
  ? { [Key in Name]?: Exclude<Value, undefined> }
  : { [Key in Name]: Value };

/** Object as it is read, with defaults. */
export type ObjectOf<Spec extends AnySchema, Status extends AnySchema> = Flat<
  Identity &
    (Spec extends ResourceSchema ? Field<'spec', OutputOf<Spec>> : object) &
    (Status extends ResourceSchema ? { status?: Exclude<OutputOf<Status>, undefined> } : object)
>;

/** Object as it is written; fields with a default are optional. */
export type InputObjectOf<Spec extends AnySchema, Status extends AnySchema> = Flat<
  Identity &
    (Spec extends ResourceSchema ? InputSpec<InputOf<Spec>> : object) &
    (Status extends ResourceSchema ? { status?: Exclude<InputOf<Status>, undefined> } : object)
>;

/** A spec without required fields is optional: the server adds it. */
type InputSpec<Value> = object extends Value ? { spec?: Exclude<Value, undefined> } : Field<'spec', Value>;

type SpecOf<V extends VersionOptions> = V extends { readonly spec: infer S extends ResourceSchema } ? S : undefined;
type StatusOf<V extends VersionOptions> = V extends { readonly status: infer S extends ResourceSchema } ? S : undefined;
type VersionObject<V extends VersionOptions> = ObjectOf<SpecOf<V>, StatusOf<V>>;
type VersionInput<V extends VersionOptions> = InputObjectOf<SpecOf<V>, StatusOf<V>>;

/**
 * Custom resource: a descriptor like those of the built-in kinds, and its CustomResourceDefinition. With several versions it
 * is the descriptor of the storage version.
 */
export interface DefinedResource<
  T extends KubernetesObject = KubernetesObject,
  Input extends KubernetesObject = T,
  S extends Scope = Scope,
> extends ResourceType<T, S> {
  /** Type that `create` takes. Exists for the compiler only; its value is `undefined`. */
  readonly Input: Input;
  /**
   * The CustomResourceDefinition. Its conversion webhook, if any, is a placeholder until the resource is installed.
   */
  readonly definition: CustomResourceDefinition;
  /** Set when the resource has conversion functions. */
  readonly conversion?: Conversion;
}

/** Resource with several versions, and a descriptor of each by its name. */
export interface VersionedResource<
  T extends KubernetesObject,
  Input extends KubernetesObject,
  Versions extends AnyVersions,
  S extends Scope = Scope,
> extends DefinedResource<T, Input, S> {
  readonly versions: {
    readonly [Name in keyof Versions]: DefinedResource<VersionObject<Versions[Name]>, VersionInput<Versions[Name]>, S>;
  };
}

export interface OneVersion<Spec extends AnySchema, Status extends AnySchema, S extends Scope = Scope>
  extends ResourceOptions<S>,
    VersionOptions<Spec, Status> {
  readonly version: string;
  readonly versions?: undefined;
  readonly conversions?: undefined;
  readonly conversion?: undefined;
}

/** Options of a resource with several versions. `Conversions` has those of their conversion. */
export interface ManyVersions<
  Versions extends AnyVersions,
  Hub extends keyof Versions & string,
  S extends Scope = Scope,
> extends ResourceOptions<S> {
  readonly versions: Versions;
  readonly version?: undefined;
  /** Storage version, and hub of conversions. */
  readonly storage: Hub;
}

/**
 * Conversion between versions: by functions, or by an external webhook. Required when the schemas differ; to opt out, set
 * `conversion: { strategy: 'None' }`.
 */
type Conversions<Versions extends AnyVersions, Hub extends keyof Versions & string> = [
  Different<Versions, Hub>,
] extends [never]
  ? {
      readonly conversions?: Spokes<Versions, Hub> | undefined;
      readonly conversion?: CustomResourceConversion | undefined;
    }
  :
      | { readonly conversion: CustomResourceConversion; readonly conversions?: undefined }
      | { readonly conversions: Spokes<Versions, Hub>; readonly conversion?: undefined };

/** Conversion functions by version. A version that is not listed has the schema of the hub. */
type Spokes<Versions extends AnyVersions, Hub extends keyof Versions & string> = {
  readonly [Name in Different<Versions, Hub>]: SpokeOf<Versions, Hub, Name>;
} & {
  readonly [Name in Exclude<keyof Versions, Hub | Different<Versions, Hub>>]?: SpokeOf<Versions, Hub, Name>;
};

type SpokeOf<Versions extends AnyVersions, Hub extends keyof Versions & string, Name extends keyof Versions> = Spoke<
  VersionObject<Versions[Name]>,
  VersionObject<Versions[Hub]>
>;

/** Versions whose objects have another type than those of the hub. */
type Different<Versions extends AnyVersions, Hub extends keyof Versions & string> = {
  [Name in keyof Versions & string]: LooksLike<VersionObject<Versions[Name]>, VersionObject<Versions[Hub]>> extends true
    ? never
    : Name;
}[keyof Versions & string];

type LooksLike<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Columns whose paths are checked. */
type Columns<Paths extends readonly string[], T> = {
  readonly [I in keyof Paths]: Omit<ColumnOptions, 'jsonPath'> & {
    /**
     * Path of the value: `.spec.weight`, `.status.conditions[?(@.type=="Ready")].status`. A wrong path does not compile; for
     * one that the compiler cannot check, write `'…' as string`.
     */
    readonly jsonPath: Paths[I] extends PathOf<T, Paths[I]> ? Paths[I] : PathOf<T, NoInfer<Paths[I]>>;
  };
};

type ColumnsOfVersions<Versions extends AnyVersions> = {
  readonly [Name in keyof Versions]: Versions[Name] extends {
    readonly columns: infer C extends readonly ColumnOptions[];
  }
    ? { readonly columns: CheckedColumns<C, VersionObject<Versions[Name]>> }
    : unknown;
};

/**
 * Versions are inferred with their columns, and this is intersected with them: two different paths would make the whole column
 * `never`, and the message would not tell why.
 */
type CheckedColumns<C extends readonly ColumnOptions[], T> = {
  readonly [I in keyof C]: Omit<ColumnOptions, 'jsonPath'> & {
    readonly jsonPath: C[I]['jsonPath'] extends PathOf<T, C[I]['jsonPath']>
      ? C[I]['jsonPath']
      : LeadsNowhere<C[I]['jsonPath'], PathOf<T, C[I]['jsonPath']>>;
  };
};

/** For the compiler's message: the wrong path of a column, and the valid ones. */
export interface LeadsNowhere<Path extends string, Instead extends string> {
  readonly path: Path;
  readonly instead: Instead;
}

/** Conversion functions whose results have only fields of their version. */
type Exact<Made, Versions extends AnyVersions, Hub extends keyof Versions & string> = {
  readonly [Name in keyof Made]: Name extends keyof Versions
    ? Made[Name] extends { toHub(...args: never): infer ToHub; fromHub(...args: never): infer FromHub }
      ? {
          toHub(...args: never): OnlyFields<ToHub, Converted<VersionObject<Versions[Hub]>>>;
          fromHub(...args: never): OnlyFields<FromHub, Converted<VersionObject<Versions[Name]>>>;
        }
      : unknown
    : never;
};

/** `Made`, with type `never` for fields that `Wanted` does not have. */
type OnlyFields<Made, Wanted> = Made extends readonly (infer E)[]
  ? Wanted extends readonly (infer W)[]
    ? readonly OnlyFields<E, W>[]
    : Made
  : Made extends object
    ? unknown extends Wanted
      ? Made
      : {
          [Key in keyof Made]: Key extends KeyOfAny<Wanted>
            ? OnlyFields<Made[Key], NonNullable<FieldOfAny<Wanted, Key>>>
            : never;
        }
    : Made;
type KeyOfAny<T> = T extends unknown ? keyof T : never;
type FieldOfAny<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never;

/**
 * Defines a resource. Its type and its CustomResourceDefinition follow from the schemas. Throws a `ResourceError` with the
 * path for definitions that Kubernetes would refuse.
 *
 *     export const Fruit = defineResource({
 *       group: 'user.k8sasdb.org', version: 'v1', kind: 'Fruit',
 *       spec: z.object({ weight: z.int().min(1) }),
 *     });
 *     export type Fruit = typeof Fruit.Type;
 */
export function defineResource<
  Spec extends AnySchema = undefined,
  Status extends AnySchema = undefined,
  S extends Scope = 'Namespaced',
  const Paths extends readonly string[] = readonly [],
  const Versions extends AnyVersions = never,
  const Hub extends keyof Versions & string = never,
  Made = unknown,
>(
  options:
    | (Omit<OneVersion<Spec, Status, S>, 'columns'> & { readonly columns?: Columns<Paths, ObjectOf<Spec, Status>> })
    | (ManyVersions<Versions, Hub, S> &
        Conversions<Versions, Hub> & {
          readonly versions: ColumnsOfVersions<Versions>;
          readonly conversions?: Made & Exact<Made, Versions, Hub>;
        }),
): [Versions] extends [never]
  ? DefinedResource<ObjectOf<Spec, Status>, InputObjectOf<Spec, Status>, S>
  : VersionedResource<VersionObject<Versions[Hub]>, VersionInput<Versions[Hub]>, Versions, S>;
export function defineResource(options: AnyOptions): DefinedResource {
  const complete = completed(options);
  const definition = freezeDeep(definitionOf(complete));
  const conversion = conversionOf(complete, definition);
  const shared = { definition, ...(conversion && { conversion }) };
  const versions = Object.fromEntries(
    Object.keys(complete.versions).map((version) => [version, described(complete, version, shared)]),
  );
  const isMany = options.versions !== undefined;
  return isMany ? described(complete, complete.storage, { ...shared, versions }) : versions[complete.storage]!;
}

type AnyOptions =
  | OneVersion<AnySchema, AnySchema>
  | (ManyVersions<AnyVersions, string> & Pick<CompleteOptions, 'conversions' | 'conversion'>);

function completed(options: AnyOptions): CompleteOptions {
  const { kind, plural = pluralOf(kind), singular = kind.toLowerCase() } = options;
  if (options.versions !== undefined) return { ...options, plural, singular };
  const { version, description: _description, ...rest } = options;
  return { ...options, plural, singular, versions: { [version]: rest }, storage: version } as CompleteOptions;
}

function described(options: CompleteOptions, version: string, more: object): DefinedResource {
  const { group, kind, plural, singular, shortNames, categories, scope = 'Namespaced' } = options;
  const type = resourceType({
    group,
    version,
    kind,
    plural,
    singular,
    scope,
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
  });
  // `Input` is a phantom, like `Type`.
  return Object.freeze({ ...type, ...more }) as DefinedResource;
}

function conversionOf(
  { group, kind, storage, versions, conversions }: CompleteOptions,
  { spec }: CustomResourceDefinition,
): Conversion | undefined {
  if (conversions === undefined) return undefined;
  const apiVersion = (version: string): string => `${group}/${version}`;
  const spokes = Object.entries(conversions as Record<string, Spoke<KubernetesObject, KubernetesObject>>);
  return new Conversion({
    resource: `${kind}.${group}`,
    hub: apiVersion(storage),
    versions: Object.keys(versions).map(apiVersion),
    spokes: new Map(spokes.map(([version, spoke]) => [apiVersion(version), spoke])),
    schemas: new Map(spec.versions.map(({ name, schema }) => [apiVersion(name), schema?.openAPIV3Schema ?? {}])),
  });
}

/** Returns the plural in lower case: `Fruit` ► `fruits`, `Policy` ► `policies`, `Class` ► `classes`, `Gateway` ► `gateways`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
