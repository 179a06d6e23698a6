import type { Pod } from '@pintle/kinds/core/v1';
import { inDeletionOrder } from '../replica-sets/deletion-order.ts';
import { hasValidIndex, type Survey } from './survey.ts';
import { completionIndexOf } from './tracked-pod.ts';

/** At least so many of the active pods: first those whose index is wrong or taken, then those that have got least far. */
export function podsToRemove({ isIndexed, active, completions = 0 }: Survey, atLeast: number, nowMs: number): Pod[] {
  if (!isIndexed) return inDeletionOrder(active, [], nowMs).slice(0, atLeast);
  const removed: Pod[] = active.filter((pod) => !hasValidIndex(pod, completions));
  const kept: Pod[] = [];
  for (const sharing of byIndex(active.filter((pod) => hasValidIndex(pod, completions)))) {
    const ordered = inDeletionOrder(sharing, [], nowMs);
    removed.push(...ordered.slice(0, -1));
    kept.push(ordered.at(-1)!);
  }
  const more = Math.max(0, atLeast - removed.length);
  return [...removed, ...inDeletionOrder(kept, [], nowMs).slice(0, more)];
}

function byIndex(pods: readonly Pod[]): Iterable<Pod[]> {
  const groups = new Map<number | undefined, Pod[]>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    const group = groups.get(index);
    if (group === undefined) groups.set(index, [pod]);
    else group.push(pod);
  }
  return groups.values();
}
