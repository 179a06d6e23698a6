import type { Turns } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import { isTermMet } from '../common/node-affinity.ts';
import { untoleratedTaint } from '../common/nodes.ts';
import { controllerOf } from '../common/owners.ts';
import type { Neighbours } from './neighbours.ts';
import { allocatableOf, type Candidate } from './node-fit.ts';

/** Returns the best node: with most room, fewest pods of the same owner, and most preferences met. */
export async function bestOf(
  pod: Pod,
  fitting: readonly Candidate[],
  neighbours: Neighbours,
  turns: Turns,
): Promise<Candidate | undefined> {
  const owner = controllerOf(pod)?.uid;
  let best: { readonly candidate: Candidate; readonly worth: number } | undefined;
  for (const candidate of fitting) {
    const siblings = owner === undefined ? 0 : candidate.use.countOf(owner);
    const worth =
      roomOf(candidate) - siblings - candidate.use.size / 1_000 + 10 * wishesMet(pod, candidate, neighbours);
    if (best === undefined || worth > best.worth) best = { candidate, worth };
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return best?.candidate;
}

/** Returns 0 for a full node, 1 for an empty one. */
function roomOf({ node, use }: Candidate): number {
  const allocatable = allocatableOf(node);
  const shares = ['cpu', 'memory'].map((name) => {
    const total = allocatable.get(name)?.toNumber() ?? 0;
    return total === 0 ? 0 : 1 - use.requested(name).toNumber() / total;
  });
  return (shares[0]! + shares[1]!) / 2;
}

/** Sums the weights of preferred terms that the node meets. */
function wishesMet(pod: Pod, { node }: Candidate, neighbours: Neighbours): number {
  const { nodeAffinity } = pod.spec?.affinity ?? {};
  let met = neighbours.wishesMetAt(node);
  for (const { weight = 1, preference } of nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    if (preference && isTermMet(preference, node)) met += weight;
  if (untoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ['PreferNoSchedule'])) met -= 1;
  return met;
}
