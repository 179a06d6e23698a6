import type { Node, Pod, PodAffinityTerm } from '@pintle/kinds/core/v1';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { Candidate } from './node-fit.ts';

/** Why other pods keep a pod from a node. `undefined`: they do not. */
export function whyNotWithOthers(pod: Pod, candidate: Candidate, all: readonly Candidate[]): string | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    if (!hasCompany(pod, term, candidate, all)) return "node(s) didn't match pod affinity rules";
  for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    if (countIn(pod, term, candidate, all) > 0) return "node(s) didn't match pod anti-affinity rules";
  if (isShunned(pod, candidate, all)) return "node(s) didn't satisfy existing pods anti-affinity rules";
  return whySpread(pod, candidate, all);
}

/** The first of a group that wants to be together may go anywhere. */
function hasCompany(pod: Pod, term: PodAffinityTerm, candidate: Candidate, all: readonly Candidate[]): boolean {
  if (countIn(pod, term, candidate, all) > 0) return true;
  const isAlone = all.every(({ pods }) => pods.every((other) => !isMeant(pod, term, other)));
  return isAlone && isMeant(pod, term, pod);
}

function countIn(pod: Pod, term: PodAffinityTerm, { node }: Candidate, all: readonly Candidate[]): number {
  const place = placeOf(node, term.topologyKey);
  if (place === undefined) return 0;
  return all
    .filter((other) => placeOf(other.node, term.topologyKey) === place)
    .reduce((count, { pods }) => count + pods.filter((other) => isMeant(pod, term, other)).length, 0);
}

function isMeant(pod: Pod, { labelSelector, namespaces, namespaceSelector }: PodAffinityTerm, other: Pod): boolean {
  const { namespace = '' } = other.metadata;
  const isNear = namespaces?.length
    ? namespaces.includes(namespace)
    : namespaceSelector !== undefined || namespace === pod.metadata.namespace;
  return (
    isNear && labelSelector !== undefined && compileLabelSelector(labelSelector).matches(other.metadata.labels ?? {})
  );
}

function isShunned(pod: Pod, { node }: Candidate, all: readonly Candidate[]): boolean {
  return all.some((other) =>
    other.pods.some((neighbour) =>
      (neighbour.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some((term) => {
        const place = placeOf(node, term.topologyKey);
        return place !== undefined && place === placeOf(other.node, term.topologyKey) && isMeant(neighbour, term, pod);
      }),
    ),
  );
}

/** Places of one kind, such as zones, may differ by so many pods of a group. */
function whySpread(pod: Pod, { node }: Candidate, all: readonly Candidate[]): string | undefined {
  for (const { topologyKey, maxSkew = 1, whenUnsatisfiable, labelSelector } of pod.spec?.topologySpreadConstraints ??
    []) {
    if (whenUnsatisfiable !== 'DoNotSchedule') continue;
    const place = placeOf(node, topologyKey);
    if (place === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    const counts = new Map<string, number>();
    const selector = labelSelector && compileLabelSelector(labelSelector);
    for (const other of all) {
      const there = placeOf(other.node, topologyKey);
      if (there === undefined) continue;
      const found = other.pods.filter(
        ({ metadata }) => metadata.namespace === pod.metadata.namespace && selector?.matches(metadata.labels ?? {}),
      );
      counts.set(there, (counts.get(there) ?? 0) + found.length);
    }
    const own = selector?.matches(pod.metadata.labels ?? {}) ? 1 : 0;
    if ((counts.get(place) ?? 0) + own - Math.min(...counts.values()) > maxSkew)
      return "node(s) didn't match pod topology spread constraints";
  }
  return undefined;
}

function placeOf({ metadata }: Node, topologyKey = ''): string | undefined {
  return metadata.labels?.[topologyKey];
}
