import type { Pod } from '@pintle/kinds/core/v1';
import { controllerOf } from '../common/controller-ref.ts';
import { isTermMet } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/tolerations.ts';
import { allocatableOf, type Candidate } from './node-fit.ts';
import { countNear, skewOf } from './pod-affinity.ts';

/**
 * The node a pod is best put on: where most is left, fewest of its siblings are, and what it would like is met. `all`:
 * the nodes it cannot run on too, for their pods count as neighbours.
 */
export function bestOf(pod: Pod, fitting: readonly Candidate[], all: readonly Candidate[]): Candidate | undefined {
  const owner = controllerOf(pod)?.uid;
  let best: { readonly candidate: Candidate; readonly worth: number } | undefined;
  for (const candidate of fitting) {
    const siblings = owner === undefined ? 0 : candidate.use.countOf(owner);
    const worth = roomOf(candidate) - siblings - candidate.use.size / 1_000 + 10 * wishesMet(pod, candidate, all);
    if (best === undefined || worth > best.worth) best = { candidate, worth };
  }
  return best?.candidate;
}

/** From 0, full, to 1, empty. */
function roomOf({ node, use }: Candidate): number {
  const allocatable = allocatableOf(node);
  const shares = ['cpu', 'memory'].map((name) => {
    const total = allocatable.get(name)?.toNumber() ?? 0;
    return total === 0 ? 0 : 1 - use.requested(name).toNumber() / total;
  });
  return (shares[0]! + shares[1]!) / 2;
}

/** What is preferred but not required, each wish by its weight. */
function wishesMet(pod: Pod, candidate: Candidate, all: readonly Candidate[]): number {
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const { node } = candidate;
  let met = 0;
  for (const { weight = 1, preference } of nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    if (preference && isTermMet(preference, node)) met += weight;
  for (const { weight = 1, podAffinityTerm } of podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    met += weight * countNear(pod, podAffinityTerm, candidate, all);
  for (const { weight = 1, podAffinityTerm } of podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    met -= weight * countNear(pod, podAffinityTerm, candidate, all);
  for (const constraint of pod.spec?.topologySpreadConstraints ?? [])
    if (constraint.whenUnsatisfiable === 'ScheduleAnyway') met -= skewOf(pod, constraint, candidate, all) ?? 1;
  if (untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['PreferNoSchedule'])) met -= 1;
  return met;
}
