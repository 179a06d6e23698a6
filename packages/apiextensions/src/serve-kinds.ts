import type { ApiServer, UserInfo } from '@pintle/apiserver';
import type { CatalogResource } from '@pintle/apiserver/discovery';
import type { ServedResource } from '@pintle/apiserver/resource';
import type { Clock } from '@pintle/async';
import type { CustomResourceDefinition, JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { customResourceDefinitionRules } from '@pintle/kinds/definition-rules';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { describeFieldErrors, FieldPath, invalid } from '@pintle/machinery/errors';
import type { ResourceRules, Steps } from '@pintle/machinery/rules';
import { computedEndpoints } from './computed-endpoints.ts';
import { renaming } from './converter.ts';
import { customCatalogVersion } from './custom-catalog.ts';
import { customResource } from './custom-resource.ts';
import { VersionSchemas } from './version-schemas.ts';

/** A kind that a server defines in code. */
export interface ServedKind<T extends KubernetesObject = KubernetesObject> {
  readonly kind: string;
  readonly plural: string;
  /** Default: `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** The whole object, as a definition has it. */
  readonly schema: JSONSchemaProps;
  /** Columns of `kubectl get`. */
  readonly columns?: readonly { readonly name: string; readonly type: string; readonly jsonPath: string }[];
  readonly shortNames?: readonly string[];
  /** True for kinds with a `status` subresource. */
  readonly hasStatus?: boolean;
  /** Fills in what a client left out, in place. Must be idempotent. */
  readonly complete?: (object: T) => void;
  /** Returns the problems of an object that fits its schema, as `[path, problem]`; `before` is absent for a new one. */
  readonly validate?: (object: T, before: T | undefined) => readonly (readonly [string, string])[];
  /** Computes objects on request instead of storing them. `complete` and `validate` do not apply. */
  readonly computed?: ComputedObjects<T>;
}

/** A request for computed objects. */
export interface ComputedQuery {
  /** Empty for all namespaces, or for a cluster-scoped kind. */
  readonly namespace: string;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
}

export interface ComputedObjects<T extends KubernetesObject> {
  /** Returns `undefined` when there is no object of that name. */
  get(name: string, query: ComputedQuery): Promise<T | undefined> | T | undefined;
  /** Returns all objects; selectors are applied to the result. */
  list(query: ComputedQuery): Promise<readonly T[]> | readonly T[];
}

/**
 * Returns the kind without its type parameter, for lists of kinds: its functions only get objects that fit its schema.
 */
export function servedKind<T extends KubernetesObject>(kind: ServedKind<T>): ServedKind {
  return kind as unknown as ServedKind;
}

/**
 * Adds kinds to a server, with all features of custom resources. Stores no definition. Throws an Error when a kind is
 * not valid as a definition.
 *
 *     serveKinds(server, { group: 'weather.example.com', version: 'v1', kinds: [stations, forecasts] });
 */
export function serveKinds(
  { resources, catalog, clock }: Pick<ApiServer, 'resources' | 'catalog' | 'clock'>,
  {
    group,
    version,
    kinds,
  }: { readonly group: string; readonly version: string; readonly kinds: readonly ServedKind[] },
): void {
  const definitions = kinds.map((kind) => definitionOf(group, version, kind));
  for (const [index, kind] of kinds.entries()) resources.add(resourceOf(definitions[index]!, kind, clock));
  const served = definitions.map((definition) => ({ definition, version: definition.spec.versions[0]! }));
  const catalogVersion = customCatalogVersion(group, version, served);
  const computed = new Set(kinds.filter((kind) => kind.computed).map(({ plural }) => plural));
  const asServed = (resource: CatalogResource): CatalogResource =>
    computed.has(resource.resource) ? { ...resource, verbs: COMPUTED_VERBS, subresources: [] } : resource;
  catalog.put({ ...catalogVersion, resources: catalogVersion.resources.map(asServed) });
}

const COMPUTED_VERBS = ['get', 'list'] as const;

/** Returns a kind as a definition with one version. */
function definitionOf(group: string, version: string, kind: ServedKind): CustomResourceDefinition {
  const { plural, scope = 'Namespaced', schema, columns = [], shortNames = [], hasStatus } = kind;
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind: kind.kind, plural, shortNames: [...shortNames] },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: columns.map((column) => ({ ...column })),
          ...(hasStatus && { subresources: { status: {} } }),
        },
      ],
    },
  };
  customResourceDefinitionRules.default?.(definition);
  customResourceDefinitionRules.prepareForCreate?.(definition);
  const errors = customResourceDefinitionRules.validate?.(definition) ?? [];
  if (errors.length > 0) throw new Error(`Cannot serve ${definition.metadata.name}: ${describeFieldErrors(errors)}`);
  // The accepted names are those of the spec: no other definition can have taken them.
  const { status: _status, ...defined } = definition;
  return defined;
}

function resourceOf(
  definition: CustomResourceDefinition,
  kind: ServedKind,
  clock: Pick<Clock, 'monotonic'>,
): ServedResource {
  const { group } = definition.spec;
  const resource = customResource(definition, definition.spec.versions[0]!, {
    schemas: new VersionSchemas(definition),
    converter: renaming,
    clock,
    storage: { group, resource: kind.plural },
    gone: new AbortController().signal,
    isTerminating: () => false,
    refine: (rules) => withRulesOf(kind, rules),
  });
  if (kind.computed === undefined) return resource;
  const { codec: _codec, ...rest } = resource;
  return {
    ...rest,
    verbs: new Set(COMPUTED_VERBS),
    subresources: new Map(),
    endpoints: computedEndpoints(kind.computed),
  };
}

/** Returns the rules of the schema, followed by those of the kind's author. */
function withRulesOf({ complete, validate }: ServedKind, rules: ResourceRules): ResourceRules {
  function* check(next: KubernetesObject, previous: KubernetesObject | undefined): Steps<readonly FieldError[]> {
    const errors = (yield* rules.validateInSteps!(next, previous)) as readonly FieldError[];
    const problems = errors.length > 0 ? [] : (validate?.(next, previous) ?? []);
    return [...errors, ...problems.map(([path, problem]) => invalid(pathOf(path), undefined, problem))];
  }
  return {
    ...rules,
    default: (object, growth) => {
      rules.default?.(object, growth);
      complete?.(object);
    },
    ...(validate && { validateInSteps: check }),
  };
}

function pathOf(text: string): FieldPath {
  const [first = '', ...rest] = text.split('.');
  return FieldPath.of(first, ...rest);
}
