import { createHash } from 'node:crypto';
import type { BuiltinEndpoint, BuiltinGroup } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import { headerOf } from '../http/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';

/** `/api` lists the versions of the core group, `/apis` all other groups. */
export function groupListDocument(root: 'api' | 'apis', state: RequestState): object {
  if (root === 'api') {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: headerOf(state.request, 'host') ?? '' }],
    };
  }
  const groups = builtinGroups.filter(({ group }) => group !== '').map(groupOf);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/<group>`; `undefined` when there is no such group. */
export function groupDocument(name: string): object | undefined {
  const group = builtinGroups.find((candidate) => candidate.group === name && name !== '');
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
}

function groupOf({ group, versions }: BuiltinGroup): object {
  const list = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

/** `/api/v1`, `/apis/<group>/<version>`: resources and subresources. */
export function resourceListDocument(group: string, version: string): object | undefined {
  const found = builtinGroups.find((candidate) => candidate.group === group);
  const resources = found?.versions.find((candidate) => candidate.version === version)?.resources;
  if (resources === undefined) return undefined;
  const entries = resources.flatMap((resource) => [
    {
      name: resource.resource,
      singularName: resource.singular,
      namespaced: resource.scope === 'Namespaced',
      ...kindOf(resource),
      verbs: resource.verbs,
      ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
      ...(resource.categories.length > 0 && { categories: resource.categories }),
      ...(resource.verbs.includes('list') && {
        storageVersionHash: storageVersionHash(group, version, resource.responseKind.kind),
      }),
    },
    ...resource.subresources.map((sub) => ({
      name: `${resource.resource}/${sub.subresource}`,
      singularName: '',
      namespaced: resource.scope === 'Namespaced',
      ...kindOf(sub),
      verbs: sub.verbs,
    })),
  ]);
  const groupVersion = group === '' ? version : `${group}/${version}`;
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: 'APIResourceList', ...(group !== '' && { apiVersion: 'v1' }), groupVersion, resources: sorted };
}

/** Group and version are said only where they are not those of the list. */
function kindOf({ responseKind }: BuiltinEndpoint): object {
  const { group, version, kind } = responseKind;
  return version === '' ? { kind } : { ...(group !== '' && { group }), version, kind };
}

function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
