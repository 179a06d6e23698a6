import { createHash } from 'node:crypto';
import type { BuiltinEndpoint } from '@pintle/kinds/discovery';
import type { GroupVersionKind } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { CatalogGroup, CatalogResource, CatalogVersion } from './catalog.ts';

/** Returns `/api`: the versions of the core group, and the address of the server. */
export function coreVersionsDocument({ versions }: CatalogGroup, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** Returns `/apis`: all groups but the core one. */
export const groupListDocument = oncePer((groups: readonly CatalogGroup[]): JsonObject => {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ group }) => group !== '').map(groupOf) };
});

/** Returns `/apis/<group>`. */
export const groupDocument = oncePer((group: CatalogGroup): JsonObject => {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
});

function groupOf({ group, versions }: CatalogGroup): JsonObject {
  const list = versions.map(({ version }) => ({ groupVersion: formatGroupVersion({ group, version }), version }));
  return { name: group, versions: list, preferredVersion: list[0]! };
}

/** Returns `/api/v1` or `/apis/<group>/<version>`: resources, each followed by its subresources. */
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

/** Caches the document of each subject, which is immutable. */
function oncePer<T extends object>(create: (subject: T) => JsonObject): (subject: T) => JsonObject {
  const documents = new WeakMap<T, JsonObject>();
  return (subject) => {
    const document = documents.get(subject) ?? create(subject);
    documents.set(subject, document);
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

/** Includes group and version only where they differ from those of the list. */
function kindOf(list: CatalogVersion, { responseKind }: BuiltinEndpoint): JsonObject {
  const { group, version, kind } = responseKind;
  const isOfList = version === '' || (group === list.group && version === list.version);
  return isOfList ? { kind } : { ...(group !== '' && { group }), version, kind };
}

/** Changes with the storage version, so that clients know when to rewrite objects. */
export function storageVersionHash({ group, version, kind }: GroupVersionKind): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
