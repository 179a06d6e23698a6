import type { ResourceLoader } from '@pintle/apiserver/resource';
import type { BuiltinResource } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { GroupVersionResource } from '@pintle/machinery';
import type { BuiltinServices } from './builtin-services.ts';

/** Loads built-in resources on demand: their rules, schemas and endpoints are most of the server's code. */
export const builtinLoader = (services: BuiltinServices): ResourceLoader => ({
  hasGroup: (group) => builtinGroups.some((candidate) => candidate.group === group),
  hasVersion: ({ group, version }) =>
    builtinGroups.some(
      (candidate) => candidate.group === group && candidate.versions.some((known) => known.version === version),
    ),
  load: async (gvr) => {
    const resource = builtinOf(gvr);
    if (resource === undefined) return undefined;
    const { serveBuiltin } = await import('./builtin-resource.ts');
    return await serveBuiltin(services, gvr, resource);
  },
  namesOf: ({ group, resource }) => {
    const groups = resource === 'events' ? EVENT_GROUPS : [group];
    return builtinGroups
      .filter((candidate) => groups.includes(candidate.group))
      .flatMap(({ group: name, versions }) => versions.map((version) => ({ ...version, group: name })))
      .filter(({ resources }) => resources.some((candidate) => candidate.resource === resource))
      .map((found) => ({ group: found.group, version: found.version, resource }));
  },
});

/** Groups that serve the same events. */
const EVENT_GROUPS = ['', 'events.k8s.io'];

function builtinOf(gvr: GroupVersionResource): BuiltinResource | undefined {
  return builtinGroups
    .find(({ group }) => group === gvr.group)
    ?.versions.find(({ version }) => version === gvr.version)
    ?.resources.find(({ resource }) => resource === gvr.resource);
}
