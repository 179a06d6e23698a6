import type { CatalogGroup } from '@pintle/apiserver/discovery';
import { table } from '@pintle/machinery/table';
import { formatTime } from '@pintle/machinery/time';
import type { Seed, SeedContext } from './seed.ts';
import { seedsOf } from './seed.ts';

const apiService = seedsOf('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService');

/** Versions with a special priority in their group, because older ones were still served when they came. */
const VERSION_PRIORITIES: Readonly<Record<string, number>> = table({
  'v1.': 1,
  'v1.flowcontrol.apiserver.k8s.io': 21,
  'v1.resource.k8s.io': 21,
  'v2.autoscaling': 30,
});
const USUAL_VERSION_PRIORITY = 15;

/** Returns one APIService for each built-in version, except for their own group, which this server serves. */
export function apiServiceSeeds(groups: readonly CatalogGroup[], { nowMs }: SeedContext): Seed[] {
  const versions = groups.flatMap(({ versions: all }) => all).filter(({ group }) => group !== 'apiregistration.k8s.io');
  return versions.map(({ group, version, groupPriority }) => {
    const name = `${version}.${group}`;
    const spec = {
      ...(group !== '' && { group }),
      version,
      groupPriorityMinimum: groupPriority,
      versionPriority: VERSION_PRIORITIES[name] ?? USUAL_VERSION_PRIORITY,
    };
    const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' };
    return apiService({ name, labels }, { spec, status: { conditions: [availableSince(nowMs)] } });
  });
}

function availableSince(nowMs: number): object {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}
