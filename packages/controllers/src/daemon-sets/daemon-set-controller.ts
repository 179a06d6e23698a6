import { ControllerRevision, DaemonSet } from '@pintle/kinds/apps/v1';
import { Node, Pod } from '@pintle/kinds/core/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager, Predicate, Result } from '@pintle/operator';
import { claimedChildren } from '../common/claimed-children.ts';
import { controllerOf, ownerRequests, selects } from '../common/owners.ts';
import { PodControl } from '../common/pod-control.ts';
import { podsOnNode } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { precompilesSelector } from '../common/selectors.ts';
import { sortRevisions } from '../controller-revisions/history.ts';
import { nodeEligibility } from './daemon-pod.ts';
import { syncDaemonSet } from './daemon-set-sync.ts';
import { FailedPodsBackoff } from './failed-pods-backoff.ts';

/** Runs one pod on every eligible node, and updates them to a new template in steps. */
export function addDaemonSetController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'daemonset-controller');
  const backoff = new FailedPodsBackoff();
  const pods = claimedChildren(manager, DaemonSet, Pod);
  const revisions = claimedChildren(manager, DaemonSet, ControllerRevision);
  return manager
    .controller(DaemonSet, 'daemonset')
    .filter(precompilesSelector)
    .options({ concurrency: 2 })
    .watches(Pod, (pod) => ownerRequests(manager, DaemonSet, pod, selects))
    .watches(ControllerRevision, (revision) => ownerRequests(manager, DaemonSet, revision, selects))
    .watches(Node, (node) => affectedDaemonSets(manager, node), isNodeChanged)
    .reconcile(async (set, { client, clock }): Promise<Result | undefined> => {
      if (set.metadata.deletionTimestamp) return undefined;
      const control = new PodControl({ client, record, type: DaemonSet, owner: set });
      if (selectsEverything(set)) {
        const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
        control.recordEvent('Warning', 'SelectingAll', message);
        return undefined;
      }
      await pods.claim(set);
      return await syncDaemonSet({
        client,
        control,
        backoff,
        nowMs: clock.now(),
        set,
        revisions: sortRevisions(await revisions.claim(set)),
        pods: () => pods.list(set),
      });
    });
}

/** Ignores heartbeats, which move no pods. Pods of a deleted node are garbage collected, which triggers their set. */
const isNodeChanged: Predicate<Node> = (change) =>
  change.type === 'added' || (change.type === 'updated' && isSchedulingChanged(change.object, change.previous));

function isSchedulingChanged(node: Node, previous: Node): boolean {
  const isLabelled = deepEqual(node.metadata.labels, previous.metadata.labels);
  return !isLabelled || !deepEqual(node.spec?.taints, previous.spec?.taints);
}

function selectsEverything({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Sets that have to create or delete a pod on the node, or to check whether a misscheduled pod still is. */
function* affectedDaemonSets(
  manager: Manager,
  { metadata: { name = '' } }: Node,
): Iterable<{ namespace: string; name: string }> {
  // Called for the old and the new node. Only the new one counts.
  const node = manager.informers.find(Node)?.cache.get({ name });
  if (node === undefined) return;
  const owners = new Set(podsOnNode(manager, name).map((pod) => controllerOf(pod)?.uid));
  for (const set of manager.informers.find(DaemonSet)?.cache.list() ?? []) {
    const { shouldRun, shouldContinueRunning } = nodeEligibility(set, [node]).get(name)!;
    const hasPod = owners.has(set.metadata.uid);
    const isAffected = hasPod ? !shouldContinueRunning || (set.status?.numberMisscheduled ?? 0) > 0 : shouldRun;
    if (isAffected) yield { namespace: set.metadata.namespace ?? '', name: set.metadata.name ?? '' };
  }
}
