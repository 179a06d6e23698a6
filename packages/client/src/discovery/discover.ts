import type { ResourceType, Scope } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import type { Client } from '../rest/client.ts';
import type { CallOptions } from '../rest/options.ts';

/** A resource as a server offers it. */
export interface DiscoveredResource {
  readonly type: ResourceType;
  readonly verbs: ReadonlySet<string>;
  /** The version the server prefers for the group. */
  readonly isPreferred: boolean;
  readonly subresources: readonly string[];
}

export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /** Groups that could not be asked: `metrics.k8s.io/v1beta1`. What they offer is unknown. */
  readonly stale: readonly string[];
}

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

/** Everything a server offers, in two requests where it can tell it at once. */
export async function discover(client: Client, options: CallOptions = {}): Promise<Discovery> {
  const parts = await Promise.all(['/api', '/apis'].map((path) => discoverRoot(client, path, options)));
  return { resources: parts.flatMap(({ resources }) => resources), stale: parts.flatMap(({ stale }) => stale) };
}

async function discoverRoot(client: Client, path: string, options: CallOptions): Promise<Discovery> {
  const headers = { accept: `${AGGREGATED},application/json` };
  const answer = (await client.call({ method: 'GET', path, headers }, options)) as GroupDiscoveryList | LegacyRoot;
  if (answer.kind === 'APIGroupDiscoveryList') return readAggregated(answer as GroupDiscoveryList);
  return await discoverLegacy(client, path, answer as LegacyRoot, options);
}

function readAggregated({ items }: GroupDiscoveryList): Discovery {
  const resources: DiscoveredResource[] = [];
  const stale: string[] = [];
  for (const { metadata, versions } of items) {
    const group = metadata?.name ?? '';
    for (const [index, version] of versions.entries()) {
      if (version.freshness === 'Stale') stale.push(`${group}/${version.version}`);
      for (const resource of version.resources ?? []) {
        const kind = resource.responseKind?.kind ?? '';
        resources.push({
          type: describe(group, version.version, {
            ...resource,
            kind,
            name: resource.resource,
            singular: resource.singularResource,
          }),
          verbs: new Set(resource.verbs),
          isPreferred: index === 0,
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
        });
      }
    }
  }
  return { resources, stale };
}

/** Servers older than 1.26, and some aggregated ones, are asked group by group. */
async function discoverLegacy(
  client: Client,
  path: string,
  root: LegacyRoot,
  options: CallOptions,
): Promise<Discovery> {
  const versions = root.groups
    ? root.groups.flatMap((group) =>
        group.versions.map(({ groupVersion }) => ({
          group: group.name,
          groupVersion,
          isPreferred: group.preferredVersion?.groupVersion === groupVersion,
        })),
      )
    : (root.versions ?? []).map((version, index) => ({ group: '', groupVersion: version, isPreferred: index === 0 }));
  const stale: string[] = [];
  const lists = await Promise.all(
    versions.map(async ({ group, groupVersion, isPreferred }) => {
      try {
        const list = await client.call({ method: 'GET', path: `${path}/${groupVersion}` }, options);
        return readLegacy(group, isPreferred, list as LegacyResources);
      } catch (error) {
        if (!isNotFound(error) && isForbidden(error)) throw error;
        stale.push(groupVersion);
        return [];
      }
    }),
  );
  return { resources: lists.flat(), stale };
}

function readLegacy(
  group: string,
  isPreferred: boolean,
  { groupVersion, resources }: LegacyResources,
): DiscoveredResource[] {
  const version = groupVersion.slice(groupVersion.indexOf('/') + 1);
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      type: describe(group, version, {
        ...resource,
        singular: resource.singularName,
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      }),
      verbs: new Set(resource.verbs),
      isPreferred,
      subresources: resources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name }) => name.slice(resource.name.length + 1)),
    }));
}

function describe(group: string, version: string, named: Named): ResourceType {
  return resourceType({
    group,
    version,
    kind: named.kind,
    plural: named.name,
    scope: named.scope,
    ...(named.singular && { singular: named.singular }),
    ...(named.shortNames && { shortNames: named.shortNames }),
    ...(named.categories && { categories: named.categories }),
  });
}

interface Named {
  readonly name: string;
  readonly kind: string;
  readonly scope: Scope;
  readonly singular?: string | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
}

interface GroupDiscoveryList {
  readonly kind: string;
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
        readonly scope: Scope;
        readonly singularResource?: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

interface LegacyRoot {
  readonly kind: string;
  readonly versions?: readonly string[];
  readonly groups?: readonly {
    readonly name: string;
    readonly versions: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

interface LegacyResources {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}
