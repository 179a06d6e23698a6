import { createHash } from 'node:crypto';
import type { BuiltinEndpoint } from '@pintle/kinds/discovery';
import type { GroupVersionKind } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { CatalogGroup, CatalogResource, CatalogVersion } from './catalog.ts';

/** `/api`: the versions of the core group, and where the server is found. */
export function coreVersionsDocument({ versions }: CatalogGroup, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`: all groups but the core one. */
export const groupListDocument = oncePer((groups: readonly CatalogGroup[]): JsonObject => {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ group }) => group !== '').map(groupOf) };
});

/** `/apis/<group>` */
export const groupDocument = oncePer((group: CatalogGroup): JsonObject => {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
});

function groupOf({ group, versions }: CatalogGroup): JsonObject {
  const list = versions.map(({ version }) => ({ groupVersion: formatGroupVersion({ group, version }), version }));
  return { name: group, versions: list, preferredVersion: list[0]! };
}

/** `/api/v1`, `/apis/<group>/<version>`: resources and, after each, its subresources. */
export const resourceListDocument = oncePer((version: CatalogVersion): JsonObject => {
  const resources = version.resources.flatMap((resource) => [
    resourceEntry(version, resource),
    ...resource.subresources.map((sub) => ({
      name: `${resource.resource}/${sub.subresource}`,
      singularName: '',
      namespaced: resource.scope === 'Namespaced',
      ...kindOf(version, sub),
      verbs: [...sub.verbs],
    })),
  ]);
  return {
    kind: 'APIResourceList',
    ...(version.group !== '' && { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion(version),
    resources,
  };
});

/** Makes the document once for each thing it is about, which never changes: others are put in its place. */
function oncePer<T extends object>(make: (about: T) => JsonObject): (about: T) => JsonObject {
  const made = new WeakMap<T, JsonObject>();
  return (about) => {
    const document = made.get(about) ?? make(about);
    made.set(about, document);
    return document;
  };
}

function resourceEntry(version: CatalogVersion, resource: CatalogResource): JsonObject {
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.scope === 'Namespaced',
    ...kindOf(version, resource),
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 && { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length > 0 && { categories: [...resource.categories] }),
    ...(resource.storedAs && { storageVersionHash: storageVersionHash(resource.storedAs) }),
  };
}

/** Group and version are said only where they are not those of the list. */
function kindOf(list: CatalogVersion, { responseKind }: BuiltinEndpoint): JsonObject {
  const { group, version, kind } = responseKind;
  const isOfList = version === '' || (group === list.group && version === list.version);
  return isOfList ? { kind } : { ...(group !== '' && { group }), version, kind };
}

/** Changes when objects are kept in another version, which tells clients to rewrite what they have. */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
