import { CronJob, Job } from '@pintle/kinds/batch/v1';
import { parseSchedule } from '@pintle/machinery/time';
import { type Change, type Controller, type Manager, requestOf } from '@pintle/operator';
import { byController } from '../common/owners.ts';
import { eventRecorder } from '../common/record-event.ts';
import { CronJobSync } from './cron-job-sync.ts';
import { untilNextRunMs } from './missed-runs.ts';

/** Creates Jobs on schedule. Between two times only a timer is pending. */
export function addCronJobController(manager: Manager): Controller {
  const record = eventRecorder(manager, 'cronjob-controller');
  const jobs = byController(manager, Job);
  const controller: Controller = manager
    .controller(CronJob, 'cronjob')
    .options({ concurrency: 5 })
    .filter((change) => {
      const waitMs = untilNewScheduleMs(change, manager.clock.now());
      if (waitMs !== undefined) controller.queue.add(requestOf(change.object), { afterMs: waitMs });
      return change.type !== 'deleted' && waitMs === undefined;
    })
    .owns(Job)
    .reconcile(async (cronJob, { client, clock }) => {
      const owned = await jobs.controlledBy(cronJob);
      return await new CronJobSync({ client, record, nowMs: clock.now() }, cronJob, owned).run();
    });
  return controller;
}

/** A new schedule starts with its next time. Earlier times are not made up for. */
function untilNewScheduleMs(change: Change<CronJob>, nowMs: number): number | undefined {
  if (change.type !== 'updated') return undefined;
  const { spec } = change.object;
  const { spec: previous } = change.previous;
  if (spec.schedule === previous.schedule && spec.timeZone === previous.timeZone) return undefined;
  try {
    return untilNextRunMs(change.object, parseSchedule(spec.schedule, spec.timeZone), nowMs);
  } catch {
    return undefined;
  }
}
