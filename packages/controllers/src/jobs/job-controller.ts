import { ExponentialLimiter } from '@pintle/client';
import { Job } from '@pintle/kinds/batch/v1';
import { Pod } from '@pintle/kinds/core/v1';
import type { Cached } from '@pintle/machinery';
import type { Controller, Manager } from '@pintle/operator';
import { claimChildren } from '../common/claim-children.ts';
import { podRateLimiter } from '../common/concurrency.ts';
import { byController, ownerRequests } from '../common/owners.ts';
import { eventRecorder } from '../common/record-event.ts';
import { EVERYTHING, precompilesSelector, selectorOf } from '../common/selectors.ts';
import { finishedCondition, isManagedExternally } from './job-conditions.ts';
import { JobSync } from './job-sync.ts';
import { addOrphanPodController } from './orphan-pods.ts';
import { PodBackoff } from './pod-backoff.ts';
import { TRACKING } from './tracked-pod.ts';

/** Delay in which pod events are gathered into one sync. */
const BATCH_PERIOD_MS = 100;
/** Delay before the first retry; it doubles each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/** Runs pods until as many as asked for have succeeded, or too many have failed. */
export function addJobController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'job-controller');
  const backoff = new PodBackoff();
  const limiter = podRateLimiter(manager);
  const pods = byController(manager, Pod);
  addOrphanPodController(manager);
  const controller: Controller = manager
    .controller(Job, 'job')
    .options({ concurrency: 5, limiter: new ExponentialLimiter({ baseMs: RETRY_MS, maxMs: MAX_RETRY_MS }) })
    .filter(precompilesSelector, (change) => {
      if (change.type === 'deleted') backoff.forget(change.object.metadata.uid ?? '');
      return change.type !== 'deleted';
    })
    .watches(Pod, (pod) => ownerRequests(manager, Job, pod, wouldAdopt), { coalesceMs: BATCH_PERIOD_MS })
    .reconcile(async (job, { client, clock, signal }) => {
      const { namespace = '', uid = '' } = job.metadata;
      if (isManagedExternally(job)) return undefined;
      if (finishedCondition(job) !== undefined) {
        backoff.forget(uid);
        return undefined;
      }
      const selector = selectorOf(job.spec?.selector ?? EVERYTHING);
      const claimed = await claimChildren({
        client,
        owner: job,
        ownerType: Job,
        childType: Pod,
        candidates: [...(await pods.controlledBy(job)), ...(await pods.orphans(namespace))],
        matches: (labels) => selector.matches(labels),
        finalizer: TRACKING,
      });
      const throttle = (): Promise<void> => limiter.take({ signal });
      return await new JobSync({ client, record, nowMs: clock.now(), throttle }, backoff, job, claimed).run();
    });
  return controller;
}

/** A Job without a selector adopts nothing. */
export function wouldAdopt({ spec }: Cached<Job>, labels: Readonly<Record<string, string>>): boolean {
  return selectorOf(spec?.selector).matches(labels);
}
