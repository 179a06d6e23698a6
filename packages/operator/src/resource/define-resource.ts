import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { freezeDeep } from '@pintle/machinery/json';
import type { Spoke } from './conversion.ts';
import { Conversion } from './conversion.ts';
import type { CompleteOptions } from './definition.ts';
import { definitionOf } from './definition.ts';
import type { ResourceOptions, VersionOptions } from './options.ts';
import { pluralOf } from './plural.ts';
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

/** An object as it is read: defaults are filled in. */
export type ObjectOf<Spec extends AnySchema, Status extends AnySchema> = Flat<
  Identity &
    (Spec extends ResourceSchema ? Field<'spec', OutputOf<Spec>> : object) &
    (Status extends ResourceSchema ? { status?: Exclude<OutputOf<Status>, undefined> } : object)
>;

/** An object as it is written: what has a default may be left out. */
export type InputObjectOf<Spec extends AnySchema, Status extends AnySchema> = Flat<
  Identity &
    (Spec extends ResourceSchema ? InputSpec<InputOf<Spec>> : object) &
    (Status extends ResourceSchema ? { status?: Exclude<InputOf<Status>, undefined> } : object)
>;

/** Nothing required in it: the server makes it. */
type InputSpec<Value> = object extends Value ? { spec?: Exclude<Value, undefined> } : Field<'spec', Value>;

type SpecOf<V extends VersionOptions> = V extends { readonly spec: infer S extends ResourceSchema } ? S : undefined;
type StatusOf<V extends VersionOptions> = V extends { readonly status: infer S extends ResourceSchema } ? S : undefined;
type VersionObject<V extends VersionOptions> = ObjectOf<SpecOf<V>, StatusOf<V>>;
type VersionInput<V extends VersionOptions> = InputObjectOf<SpecOf<V>, StatusOf<V>>;

/**
 * A resource of one's own: a descriptor like those of the built-in kinds, and the definition that tells a server about
 * it. With several versions it is the descriptor of the one that is stored.
 */
export interface DefinedResource<T extends KubernetesObject = KubernetesObject, Input extends KubernetesObject = T>
  extends ResourceType<T> {
  /** Exists for the compiler only: what `create` takes. Reading it gives `undefined`. */
  readonly Input: Input;
  /**
   * The CustomResourceDefinition. Where versions are converted, the webhook that does it is a placeholder: it is known
   * when the resource is installed.
   */
  readonly definition: CustomResourceDefinition;
  /** Set when there is code that converts between the versions. */
  readonly conversion?: Conversion;
}

/** A resource of several versions; the descriptor of each by its name. */
export interface VersionedResource<
  T extends KubernetesObject,
  Input extends KubernetesObject,
  Versions extends AnyVersions,
> extends DefinedResource<T, Input> {
  readonly versions: {
    readonly [Name in keyof Versions]: DefinedResource<VersionObject<Versions[Name]>, VersionInput<Versions[Name]>>;
  };
}

export interface OneVersion<Spec extends AnySchema, Status extends AnySchema>
  extends ResourceOptions,
    VersionOptions<Spec, Status> {
  readonly version: string;
  readonly versions?: never;
  readonly conversions?: never;
}

export interface ManyVersions<Versions extends AnyVersions, Hub extends keyof Versions & string>
  extends ResourceOptions {
  readonly versions: Versions;
  /** The version that is stored, and the hub of conversions. */
  readonly storage: Hub;
  /** How versions come from the hub and become it. One that is not listed looks like the hub. */
  readonly conversions?: {
    readonly [Name in Exclude<keyof Versions, Hub>]?: Spoke<
      VersionObject<Versions[Name]>,
      VersionObject<Versions[Hub]>
    >;
  };
}

/**
 * Defines a resource. The type of its objects follows from the schemas, the CustomResourceDefinition too; what Kubernetes
 * would refuse throws a `ResourceError` here, with the path.
 *
 *     export const Fruit = defineResource({
 *       group: 'user.k8sasdb.org', version: 'v1', kind: 'Fruit',
 *       spec: z.object({ weight: z.int().min(1) }),
 *     });
 *     export type Fruit = typeof Fruit.Type;
 */
export function defineResource<Spec extends AnySchema = undefined, Status extends AnySchema = undefined>(
  options: OneVersion<Spec, Status>,
): DefinedResource<ObjectOf<Spec, Status>, InputObjectOf<Spec, Status>>;
export function defineResource<const Versions extends AnyVersions, const Hub extends keyof Versions & string>(
  options: ManyVersions<Versions, Hub>,
): VersionedResource<VersionObject<Versions[Hub]>, VersionInput<Versions[Hub]>, Versions>;
export function defineResource(
  options: OneVersion<AnySchema, AnySchema> | ManyVersions<AnyVersions, string>,
): DefinedResource {
  const complete = completed(options);
  const definition = freezeDeep(definitionOf(complete));
  const conversion = conversionOf(complete);
  const shared = { definition, ...(conversion && { conversion }) };
  const versions = Object.fromEntries(
    Object.keys(complete.versions).map((version) => [version, described(complete, version, shared)]),
  );
  const isMany = options.versions !== undefined;
  return isMany ? described(complete, complete.storage, { ...shared, versions }) : versions[complete.storage]!;
}

function completed(options: OneVersion<AnySchema, AnySchema> | ManyVersions<AnyVersions, string>): CompleteOptions {
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

function conversionOf({ group, kind, storage, versions, conversions }: CompleteOptions): Conversion | undefined {
  if (conversions === undefined) return undefined;
  const apiVersion = (version: string): string => `${group}/${version}`;
  const spokes = Object.entries(conversions as Record<string, Spoke<KubernetesObject, KubernetesObject>>);
  return new Conversion({
    resource: `${kind}.${group}`,
    hub: apiVersion(storage),
    versions: Object.keys(versions).map(apiVersion),
    spokes: new Map(spokes.map(([version, spoke]) => [apiVersion(version), spoke])),
  });
}
