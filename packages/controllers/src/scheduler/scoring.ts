import type { Turns } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import { matchesNodeSelectorTerm } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/nodes.ts';
import { controllerOf } from '../common/owners.ts';
import { allocatableOf, type Candidate } from './node-fit.ts';
import type { TopologyConstraints } from './topology-constraints.ts';

/** Returns the best node: with most room, fewest pods of the same owner, and most preferences met. */
export async function selectNode(
  pod: Pod,
  fitting: readonly Candidate[],
  topology: TopologyConstraints,
  turns: Turns,
): Promise<Candidate | undefined> {
  const owner = controllerOf(pod)?.uid;
  let best: { readonly candidate: Candidate; readonly score: number } | undefined;
  for (const candidate of fitting) {
    const siblings = owner === undefined ? 0 : candidate.info.countOf(owner);
    const score =
      leastAllocatedScore(candidate) -
      siblings -
      candidate.info.size / 1_000 +
      10 * preferenceScore(pod, candidate, topology);
    if (best === undefined || score > best.score) best = { candidate, score };
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return best?.candidate;
}

/** Returns 0 for a full node, 1 for an empty one. */
function leastAllocatedScore({ node, info }: Candidate): number {
  const allocatable = allocatableOf(node);
  const shares = ['cpu', 'memory'].map((name) => {
    const total = allocatable.get(name)?.toNumber() ?? 0;
    return total === 0 ? 0 : 1 - info.requested(name).toNumber() / total;
  });
  return (shares[0]! + shares[1]!) / 2;
}

/** Sums the weights of preferred terms that the node meets. */
function preferenceScore(pod: Pod, { node }: Candidate, topology: TopologyConstraints): number {
  const { nodeAffinity } = pod.spec?.affinity ?? {};
  let met = topology.scoreOf(node);
  for (const { weight = 1, preference } of nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    if (preference && matchesNodeSelectorTerm(preference, node)) met += weight;
  if (untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['PreferNoSchedule'])) met -= 1;
  return met;
}
