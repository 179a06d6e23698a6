import type { Pod } from '@pintle/kinds/core/v1';
import { scaledValue } from '@pintle/machinery/quantity';
import { isAvailable } from '../common/pods.ts';
import { isUpdated } from './daemon-pod.ts';
import type { Look, Steps } from './look.ts';

/** Returns the next pods to replace, within `maxUnavailable` or `maxSurge`. */
export function rollingUpdate(look: Look): Steps {
  const { set, fits } = look;
  const wanted = [...fits.keys()].filter((node) => fits.get(node)?.isWanted).sort();
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted.length, { roundUp: true });
  const unavailable = scaledValue(maxUnavailable, wanted.length, { roundUp: true });
  const places = wanted.map((name) => placeOf(look, name));
  return surge > 0 ? surging(places, surge) : replacing(places, Math.max(1, unavailable));
}

interface Place {
  readonly node: string;
  readonly old: Pod | undefined;
  readonly updated: Pod | undefined;
  readonly isOldAvailable: boolean;
  readonly isUpdatedAvailable: boolean;
  /** There is more than one old or updated pod, which placement corrects first. */
  readonly isCrowded: boolean;
}

function placeOf({ set, hash, podsByNode, nowMs }: Look, node: string): Place {
  const pods = (podsByNode.get(node) ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const updated = pods.filter((pod) => isUpdated(pod, set, hash));
  const old = pods.filter((pod) => !isUpdated(pod, set, hash));
  const isThere = (pod: Pod | undefined): boolean =>
    pod !== undefined && isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);
  return {
    node,
    old: old[0],
    updated: updated[0],
    isOldAvailable: isThere(old[0]),
    isUpdatedAvailable: isThere(updated[0]),
    isCrowded: old.length > 1 || updated.length > 1,
  };
}

/** Deletes old pods first. One that is not available goes at once. */
function replacing(places: readonly Place[], maxUnavailable: number): Steps {
  const remove: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { old, updated, isOldAvailable, isUpdatedAvailable, isCrowded } of places) {
    if (!isCrowded && updated === undefined && isOldAvailable) candidates.push(old!);
    else if (isCrowded || old !== undefined || !isUpdatedAvailable) unavailable++;
    if (!isCrowded && updated === undefined && old !== undefined && !isOldAvailable) remove.push(old);
  }
  return { remove: [...remove, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))], make: [] };
}

/** Creates updated pods first, and deletes an old one when its successor is available. */
function surging(places: readonly Place[], maxSurge: number): Steps {
  const steps: Steps = { remove: [], make: [] };
  const candidates: string[] = [];
  let surged = 0;
  for (const { node, old, updated, isOldAvailable, isUpdatedAvailable, isCrowded } of places) {
    if (isCrowded) surged++;
    else if (updated === undefined) {
      if (old !== undefined) (isOldAvailable ? candidates : steps.make).push(node);
    } else if (!isUpdatedAvailable) surged++;
    else if (old !== undefined) steps.remove.push(old);
  }
  for (const node of candidates.slice(0, Math.max(0, maxSurge - surged))) steps.make.push(node);
  return steps;
}
