import type { Node, Pod, PodAffinityTerm, TopologySpreadConstraint } from '@pintle/kinds/core/v1';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import { smallest } from '../common/extremes.ts';
import type { Candidate, Refusal } from './node-fit.ts';

/** Why other pods keep a pod from a node. `undefined`: they do not. */
export function whyNotWithOthers(pod: Pod, candidate: Candidate, all: readonly Candidate[]): Refusal | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    if (!hasCompany(pod, term, candidate, all))
      return { reason: "node(s) didn't match pod affinity rules", isForWantOfRoom: false };
  for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    if (countNear(pod, term, candidate, all) > 0)
      return { reason: "node(s) didn't match pod anti-affinity rules", isForWantOfRoom: true };
  if (isShunned(pod, candidate, all))
    return { reason: "node(s) didn't satisfy existing pods anti-affinity rules", isForWantOfRoom: true };
  return whySpread(pod, candidate, all);
}

/** Whether others have a say in where a pod goes. */
export function mindsOthers({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return podAffinity !== undefined || podAntiAffinity !== undefined || !!spec?.topologySpreadConstraints?.length;
}

/** How many pods that a term means are in the same place as a node. */
export function countNear(pod: Pod, term: PodAffinityTerm, { node }: Candidate, all: readonly Candidate[]): number {
  const place = placeOf(node, term.topologyKey);
  if (place === undefined) return 0;
  let count = 0;
  for (const other of all) {
    if (placeOf(other.node, term.topologyKey) !== place) continue;
    for (const neighbour of other.use.pods()) if (isMeant(pod, term, neighbour)) count++;
  }
  return count;
}

/** The first of a group that wants to be together may go anywhere. */
function hasCompany(pod: Pod, term: PodAffinityTerm, candidate: Candidate, all: readonly Candidate[]): boolean {
  if (placeOf(candidate.node, term.topologyKey) === undefined) return false;
  if (countNear(pod, term, candidate, all) > 0) return true;
  return isMeant(pod, term, pod) && all.every((other) => countNear(pod, term, other, all) === 0);
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
  for (const other of all)
    for (const neighbour of other.use.shunning())
      for (const term of neighbour.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ??
        []) {
        const place = placeOf(node, term.topologyKey);
        const isNear = place !== undefined && place === placeOf(other.node, term.topologyKey);
        if (isNear && isMeant(neighbour, term, pod)) return true;
      }
  return false;
}

function whySpread(pod: Pod, candidate: Candidate, all: readonly Candidate[]): Refusal | undefined {
  for (const constraint of pod.spec?.topologySpreadConstraints ?? []) {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') continue;
    const skew = skewOf(pod, constraint, candidate, all);
    const reason = "node(s) didn't match pod topology spread constraints";
    if (skew === undefined) return { reason: `${reason} (missing required label)`, isForWantOfRoom: false };
    if (skew > (constraint.maxSkew ?? 1)) return { reason, isForWantOfRoom: true };
  }
  return undefined;
}

/** By how many more pods of its group a node's place would have than the emptiest. `undefined`: it is in no place. */
export function skewOf(
  pod: Pod,
  { topologyKey, labelSelector }: TopologySpreadConstraint,
  { node }: Candidate,
  all: readonly Candidate[],
): number | undefined {
  const place = placeOf(node, topologyKey);
  if (place === undefined) return undefined;
  const selector = labelSelector && compileLabelSelector(labelSelector);
  const counts = new Map<string, number>();
  for (const other of all) {
    const there = placeOf(other.node, topologyKey);
    if (there === undefined) continue;
    let found = counts.get(there) ?? 0;
    for (const { metadata } of other.use.pods())
      if (metadata.namespace === pod.metadata.namespace && selector?.matches(metadata.labels ?? {})) found++;
    counts.set(there, found);
  }
  const own = selector?.matches(pod.metadata.labels ?? {}) ? 1 : 0;
  return (counts.get(place) ?? 0) + own - (smallest(counts.values()) ?? 0);
}

function placeOf({ metadata }: Node, topologyKey = ''): string | undefined {
  const { labels = {} } = metadata;
  return Object.hasOwn(labels, topologyKey) ? labels[topologyKey] : undefined;
}
