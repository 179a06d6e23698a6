import { ExponentialLimiter } from '@pintle/client';
import { Job } from '@pintle/kinds/batch/v1';
import { Pod } from '@pintle/kinds/core/v1';
import type { Cached } from '@pintle/machinery';
import type { Controller, Manager } from '@pintle/operator';
import { claim } from '../common/claim.ts';
import { byController, ownerRequests } from '../common/owners.ts';
import { podPace } from '../common/pace.ts';
import { eventRecorder } from '../common/record-event.ts';
import { compilesSelector, EVERYTHING, selectorOf } from '../common/selectors.ts';
import { finishedAs, isManagedElsewhere } from './job-conditions.ts';
import { JobSync } from './job-sync.ts';
import { addOrphanPodController } from './orphan-pods.ts';
import { PodBackoff } from './pod-backoff.ts';
import { TRACKING } from './tracked-pod.ts';

/** Delay in which pod events are gathered into one sync. */
const GATHERING_MS = 100;
/** Delay before the first retry; it doubles each time. */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

/** Runs pods until as many as asked for have succeeded, or too many have failed. */
export function addJobController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'job-controller');
  const backoff = new PodBackoff();
  const pace = podPace(manager);
  const pods = byController(manager, Pod);
  addOrphanPodController(manager);
  const controller: Controller = manager
    .controller(Job, 'job')
    .options({ concurrency: 5, limiter: new ExponentialLimiter({ baseMs: RETRY_MS, maxMs: MAX_RETRY_MS }) })
    .filter(compilesSelector, (change) => {
      if (change.type === 'deleted') backoff.forget(change.object.metadata.uid ?? '');
      return change.type !== 'deleted';
    })
    .watches(
      Pod,
      () => [],
      (change) => {
        for (const pod of change.type === 'updated' ? [change.object, change.previous] : [change.object])
          for (const owner of ownerRequests(manager, Job, pod, wouldAdopt))
            controller.queue.add(owner, { afterMs: GATHERING_MS });
        return false;
      },
    )
    .reconcile(async (job, { client, clock, signal }) => {
      const { namespace = '', uid = '' } = job.metadata;
      if (isManagedElsewhere(job)) return undefined;
      if (finishedAs(job) !== undefined) {
        backoff.forget(uid);
        return undefined;
      }
      const selector = selectorOf(job.spec?.selector ?? EVERYTHING);
      const claimed = await claim({
        client,
        owner: job,
        ownerType: Job,
        childType: Pod,
        candidates: [...(await pods.controlledBy(job)), ...(await pods.controlledByNobody(namespace))],
        matches: (labels) => selector.matches(labels),
        finalizer: TRACKING,
      });
      const turn = (): Promise<void> => pace.take({ signal });
      return await new JobSync({ client, record, nowMs: clock.now(), turn }, backoff, job, claimed).run();
    });
  return controller;
}

/** A Job without a selector adopts nothing. */
export function wouldAdopt({ spec }: Cached<Job>, labels: Readonly<Record<string, string>>): boolean {
  return selectorOf(spec?.selector).matches(labels);
}
