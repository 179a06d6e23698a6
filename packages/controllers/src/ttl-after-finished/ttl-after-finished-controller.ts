import { Job } from '@pintle/kinds/batch/v1';
import type { Controller, Manager } from '@pintle/operator';
import { finishedCondition } from '../jobs/job-conditions.ts';

/** Deletes finished Jobs after `ttlSecondsAfterFinished`. */
export function addTtlAfterFinishedController(manager: Manager): Controller {
  return manager
    .controller(Job, 'ttl-after-finished')
    .options({ concurrency: 5 })
    .filter((change) => change.type !== 'deleted' && expiresAtMs(change.object) !== undefined)
    .reconcile(async (job, { client, clock, request }) => {
      const leftMs = untilExpiryMs(job, clock.now());
      if (leftMs === undefined) return undefined;
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      // The cache may be stale: the TTL may have been extended.
      const fresh = await client.live.find(Job, request);
      const freshLeftMs = fresh && untilExpiryMs(fresh, clock.now());
      if (fresh === undefined || freshLeftMs === undefined) return undefined;
      if (freshLeftMs > 0) return { requeueAfterMs: freshLeftMs };
      await client.delete(Job, fresh, { propagationPolicy: 'Foreground' });
      return undefined;
    });
}

function untilExpiryMs(job: Job, nowMs: number): number | undefined {
  const atMs = expiresAtMs(job);
  return atMs === undefined ? undefined : atMs - nowMs;
}

/** Returns `undefined` when the Job is not finished, has no TTL, or is being deleted. */
function expiresAtMs(job: Job): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const atMs = Date.parse(finishedCondition(job)?.lastTransitionTime ?? '');
  if (seconds === undefined || Number.isNaN(atMs) || job.metadata.deletionTimestamp !== undefined) return undefined;
  return atMs + seconds * 1_000;
}
