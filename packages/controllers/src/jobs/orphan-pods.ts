import { Job } from '@pintle/kinds/batch/v1';
import { Pod } from '@pintle/kinds/core/v1';
import { type Controller, type Manager, requestOf } from '@pintle/operator';
import { controllerOf } from '../common/owners.ts';
import { finishedCondition, isManagedExternally } from './job-conditions.ts';
import { removeTrackingFinalizer } from './pods-to-delete.ts';
import { isTracked } from './tracked-pod.ts';

/** Removes the tracking finalizer of pods whose Job is finished or gone. */
export function addOrphanPodController(manager: Manager): Controller {
  return manager
    .controller(Pod, 'job-orphan-pods')
    .filter((change) => change.type !== 'deleted' && isTracked(change.object))
    .watches(
      Job,
      (job) => trackedPodsOf(manager, job),
      (change) => change.type === 'deleted' || finishedCondition(change.object) !== undefined,
    )
    .reconcile(async (pod, { client }) => {
      if (!isTracked(pod)) return;
      const owner = controllerOf(pod);
      if (owner !== undefined) {
        if (owner.kind !== Job.kind || owner.apiVersion !== Job.apiVersion) return;
        const job = await client.find(Job, { namespace: pod.metadata.namespace, name: owner.name });
        const isTrackedByJob =
          job?.metadata.uid === owner.uid && (isManagedExternally(job) || finishedCondition(job) === undefined);
        if (isTrackedByJob) return;
      }
      await removeTrackingFinalizer(client, pod);
    });
}

function* trackedPodsOf(manager: Manager, { metadata: { namespace = '', uid } }: Job) {
  for (const pod of manager.informers.find(Pod)?.cache.list({ namespace }) ?? [])
    if (isTracked(pod) && controllerOf(pod)?.uid === uid) yield requestOf(pod);
}
