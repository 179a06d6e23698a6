import { ControllerRevision, StatefulSet } from '@pintle/kinds/apps/v1';
import { PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';
import { claimedChildren } from '../common/claimed-children.ts';
import { podRateLimiter } from '../common/concurrency.ts';
import { ownerRequests, selects } from '../common/owners.ts';
import { eventRecorder } from '../common/record-event.ts';
import { precompilesSelector } from '../common/selectors.ts';
import { sortRevisions } from '../controller-revisions/history.ts';
import { podOfClaim } from './claims.ts';
import { ordinalOf } from './identity.ts';
import { syncStatefulSet } from './stateful-set-sync.ts';

/** Maintains pods with stable names, ordinals and storage. */
export function addStatefulSetController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'statefulset-controller');
  const pods = claimedChildren(manager, StatefulSet, Pod, (pod, set) => ordinalOf(set, pod) !== undefined);
  const limiter = podRateLimiter(manager);
  const revisions = claimedChildren(manager, StatefulSet, ControllerRevision);
  return manager
    .controller(StatefulSet, 'statefulset')
    .filter(precompilesSelector)
    .options({ concurrency: 5 })
    .watches(Pod, (pod) => ownerRequests(manager, StatefulSet, pod, selects))
    .watches(
      ControllerRevision,
      () => [],
      // Cached, but without triggers: changes of a revision are handled in the next sync.
      () => false,
    )
    .watches(
      PersistentVolumeClaim,
      (claim) => setsOfClaim(manager, claim),
      ({ type }) => type === 'deleted',
    )
    .reconcile(async (set, { client, clock, signal }) => {
      await pods.claim(set);
      return await syncStatefulSet({
        client,
        recordEvent: (type, reason, message) => record(StatefulSet, set, { type, reason, message }),
        throttle: () => limiter.take({ signal }),
        nowMs: clock.now(),
        set,
        revisions: sortRevisions(await revisions.claim(set)),
        pods: () => pods.list(set),
      });
    });
}

/** Sets with a missing pod that may wait for the deletion of its predecessor's claim. */
function* setsOfClaim(manager: Manager, claim: PersistentVolumeClaim): Iterable<{ namespace: string; name: string }> {
  const { namespace = '' } = claim.metadata;
  for (const set of manager.informers.find(StatefulSet)?.cache.list({ namespace }) ?? []) {
    const pod = podOfClaim(set, claim);
    const exists = pod !== undefined && manager.informers.find(Pod)?.cache.get({ namespace, name: pod }) !== undefined;
    if (pod !== undefined && !exists) yield { namespace, name: set.metadata.name ?? '' };
  }
}
