import type { DaemonSet } from '@pintle/kinds/apps/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import { isAvailable, isReady } from '../common/pods.ts';
import { isUpdated } from './daemon-pod.ts';
import type { Look, Steps } from './look.ts';

/** Returns how long to wait before a failed pod on the node is deleted; `undefined`: delete it now. */
type WaitOf = (node: string) => number | undefined;

interface Placement extends Steps {
  /** Pods that have ended, among those to delete. */
  readonly ended: { readonly pod: Pod; readonly node: string }[];
  /** Time until the next sync. */
  readonly retryMs: number | undefined;
}

/** Plans one pod for every eligible node, and none elsewhere. */
export function placement(look: Look, waitOf: WaitOf): Placement {
  const { fits, podsByNode } = look;
  const steps: Mutable = { remove: [], make: [], ended: [], retryMs: undefined };
  for (const [name, { isWanted, mayStay }] of fits) {
    const pods = podsByNode.get(name) ?? [];
    if (isWanted && pods.length === 0) steps.make.push(name);
    else if (!mayStay) appendAll(steps.remove, pods.filter(isStaying));
    else keepOne(look, name, pods, steps, waitOf);
  }
  for (const [name, pods] of podsByNode)
    if (!fits.has(name))
      appendAll(
        steps.remove,
        pods.filter((pod) => isStaying(pod) && !pod.spec?.nodeName),
      );
  return steps;
}

type Mutable = { -readonly [K in keyof Placement]: Placement[K] };

/** Keeps the oldest pod of a node; during a surge, the oldest of each template. */
function keepOne(look: Look, node: string, pods: readonly Pod[], steps: Mutable, waitOf: WaitOf): void {
  const running: Pod[] = [];
  for (const pod of pods.filter(isStaying)) {
    const { phase } = pod.status ?? {};
    if (phase === 'Failed' || phase === 'Succeeded') {
      const waitMs = phase === 'Failed' ? waitOf(node) : undefined;
      if (waitMs !== undefined) steps.retryMs = Math.min(steps.retryMs ?? waitMs, waitMs);
      else {
        steps.remove.push(pod);
        steps.ended.push({ pod, node });
      }
    } else running.push(pod);
  }
  if (!surges(look.set)) appendAll(steps.remove, running.slice(1));
  else appendAll(steps.remove, beyondSurge(look, running));
}

function beyondSurge({ set, hash, nowMs }: Look, running: readonly Pod[]): Pod[] {
  const [eldestNew, ...otherNew] = running.filter((pod) => isUpdated(pod, set, hash));
  const [eldestOld, ...otherOld] = running.filter((pod) => !isUpdated(pod, set, hash));
  const beyond = [...otherNew, ...otherOld];
  if (eldestNew === undefined || eldestOld === undefined) return beyond;
  const isReplaced = !isReady(eldestOld) || isAvailable(eldestNew, set.spec?.minReadySeconds ?? 0, nowMs);
  return isReplaced ? [...beyond, eldestOld] : beyond;
}

function surges({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const { maxSurge } = rollingUpdate ?? {};
  return type === 'RollingUpdate' && maxSurge !== undefined && maxSurge !== 0 && maxSurge !== '0%';
}

function isStaying({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Like `push`, for more items than a call takes arguments. */
function appendAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}
