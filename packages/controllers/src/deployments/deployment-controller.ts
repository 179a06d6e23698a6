import { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import { Pod } from '@pintle/kinds/core/v1';
import type { Controller, Manager, Result } from '@pintle/operator';
import { claimedChildren } from '../common/claimed-children.ts';
import { DeferredStatus } from '../common/deferred-status.ts';
import { controllerOf, ownerRequests, selects } from '../common/owners.ts';
import { eventRecorder } from '../common/record-event.ts';
import { precompilesSelector } from '../common/selectors.ts';
import { DeploymentSync } from './deployment-sync.ts';
import { rollBack, rollbackRevision } from './rollback.ts';
import { cleanupDeployment, isScalingEvent, rolloutRecreate, rolloutRolling, scale } from './rollout.ts';
import { calculateStatus, conditionOf, hasDeadline, rolloutStatus, untilDeadlineMs, withCondition } from './status.ts';

/** Batches events of ReplicaSets, which report their pods and the controller's own updates. */
const BATCH_PERIOD_MS = 20;

/** Rolls out Deployments: one ReplicaSet for each template, the newest of which replaces the others in steps. */
export function addDeploymentController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'deployment-controller');
  const children = claimedChildren(manager, Deployment, ReplicaSet);
  const statuses = new DeferredStatus();
  return manager
    .controller(Deployment, 'deployment')
    .filter(precompilesSelector)
    .options({ concurrency: 5 })
    .watches(ReplicaSet, (set) => ownerRequests(manager, Deployment, set, selects), { coalesceMs: BATCH_PERIOD_MS })
    .watches(
      Pod,
      (pod) => deploymentToRecreate(manager, pod),
      (change) =>
        change.type === 'deleted' ||
        (change.type === 'updated' && change.object.status?.phase !== change.previous.status?.phase),
    )
    .reconcile(async (deployment, { client, clock }) => {
      const sets = await children.claim(deployment);
      const sync = new DeploymentSync({ client, record, nowMs: clock.now(), deployment, sets });
      return await syncDeployment(sync, statuses);
    });
}

async function syncDeployment(sync: DeploymentSync, statuses: DeferredStatus): Promise<Result | undefined> {
  const { spec, metadata } = sync.deployment;
  if (metadata.deletionTimestamp !== undefined) {
    await sync.writeStatus(calculateStatus(sync.deployment, sync.newest, sync.all, sync.nowMs));
    return undefined;
  }
  await checkPausedConditions(sync);
  const revision = spec?.paused ? undefined : rollbackRevision(sync.deployment);
  if (revision !== undefined) {
    await rollBack(sync, revision);
    return undefined;
  }
  if (spec?.paused || isScalingEvent(sync)) {
    await sync.syncNewReplicaSet({ createIfNotExisted: false });
    await scale(sync);
    if (spec?.paused) await cleanupDeployment(sync);
    await sync.writeStatus(calculateStatus(sync.deployment, sync.newest, sync.all, sync.nowMs));
    return undefined;
  }
  if (spec?.strategy?.type === 'Recreate') await rolloutRecreate(sync);
  else await rolloutRolling(sync);
  if (statuses.shouldDefer(metadata.uid ?? '', sync)) return { requeueAfterMs: BATCH_PERIOD_MS };
  const status = rolloutStatus(sync.deployment, sync.newest, sync.all, sync.nowMs);
  await sync.writeStatus(status);
  const untilMs = untilDeadlineMs(sync.deployment, status, sync.nowMs);
  return untilMs === undefined ? undefined : { requeueAfterMs: untilMs };
}

/**
 * Records in the Progressing condition that the Deployment was paused or resumed. Paused time does not count towards
 * the progress deadline.
 */
async function checkPausedConditions(sync: DeploymentSync): Promise<void> {
  const { deployment, nowMs } = sync;
  const { status = {} } = deployment;
  if (!hasDeadline(deployment)) return;
  const reason = conditionOf(status, 'Progressing')?.reason;
  if (reason === 'ProgressDeadlineExceeded') return;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (reason === 'DeploymentPaused') || (!isPaused && reason === undefined)) return;
  const words = isPaused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const conditions = withCondition(
    status.conditions ?? [],
    { type: 'Progressing', status: 'Unknown', ...words },
    nowMs,
  );
  await sync.writeStatus({ ...status, conditions });
}

/** Deployments with the strategy Recreate, which wait for the end of the last old pod. */
function* deploymentToRecreate(manager: Manager, pod: Pod): Iterable<{ namespace: string; name: string }> {
  const { namespace = '' } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner?.kind !== ReplicaSet.kind) return;
  const set = manager.informers.find(ReplicaSet)?.cache.get({ namespace, name: owner.name });
  const deployment = set && controllerOf(set);
  if (deployment?.kind !== Deployment.kind) return;
  const found = manager.informers.find(Deployment)?.cache.get({ namespace, name: deployment.name });
  if (found?.spec?.strategy?.type === 'Recreate') yield { namespace, name: deployment.name };
}
