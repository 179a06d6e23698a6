import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import { isRestarted, restartBackoffMs } from '../node-agent/restart-backoff.ts';
import type { ContainerRun } from './pod-behaviour.ts';

interface ContainerInput {
  readonly pod: Pod;
  readonly container: Container;
  /** Current status. */
  readonly status: ContainerStatus | undefined;
  readonly nowMs: number;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly runOf: (restarts: number) => ContainerRun;
  /** Delay from the start of a run. Absent: never ready. */
  readonly readyAfterMs: number | undefined;
}

/** Next step of a container on a simulated node. */
export interface ContainerStep {
  readonly status: ContainerStatus;
  /** True when the status has changed. */
  readonly isChanged: boolean;
  /** True when the container has ended and is not restarted. */
  readonly hasEnded: boolean;
  /** Delay before the next step; Infinity waits for another event. */
  readonly afterMs: number;
  readonly event?: { readonly reason: string; readonly message: string };
}

/**
 *     waiting ──► running ──► terminated        the restart policy does not restart it
 *                  ▲   │
 *                  │   └──► CrashLoopBackOff    restarted, and not for the first time
 *                  └───────────┘
 *
 * Continues until time must pass, so a run without duration is over when this returns.
 */
export function nextContainerStep(input: ContainerInput): ContainerStep {
  let { status } = input;
  let event: ContainerStep['event'];
  for (;;) {
    const change = changeOf({ ...input, status });
    event ??= change.event;
    if (change.status !== undefined) status = change.status;
    if (change.status === undefined || change.afterMs > 0)
      return {
        status: status!,
        isChanged: status !== input.status,
        hasEnded: status?.state?.terminated !== undefined,
        afterMs: change.afterMs,
        ...(event !== undefined && { event }),
      };
  }
}

/** Returns the container's name, image and ids. */
export function identityOf({
  name,
  image = '',
}: Container): Pick<ContainerStatus, 'name' | 'image' | 'imageID' | 'containerID'> {
  return { name, image, imageID: `simulated://${image}`, containerID: `simulated://${name}` };
}

export function terminatedAt(
  status: ContainerStatus | undefined,
  exitCode: number,
  nowMs: number,
): ContainerStateTerminated {
  const finishedAt = formatTime(nowMs);
  const startedAt = status?.state?.running?.startedAt ?? finishedAt;
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt };
}

/** One change of a container; without a status, nothing changes until `afterMs` has passed. */
interface ContainerChange {
  readonly status?: ContainerStatus;
  readonly afterMs: number;
  readonly event?: { readonly reason: string; readonly message: string };
}

function changeOf(input: ContainerInput): ContainerChange {
  const { state, lastState } = input.status ?? {};
  if (state?.terminated) return { afterMs: Number.POSITIVE_INFINITY };
  if (state?.running) return continueRun(input, input.status!);
  if (lastState?.terminated) return restart(input, input.status!);
  return { status: runningStatus(input, 0, undefined), afterMs: 0 };
}

function continueRun(input: ContainerInput, status: ContainerStatus): ContainerChange {
  const { nowMs, restartPolicy, runOf, readyAfterMs } = input;
  const { restartCount = 0 } = status;
  const startedMs = Date.parse(status.state?.running?.startedAt ?? '') || 0;
  const run = runOf(restartCount);
  const leftMs = startedMs + run.lastsMs - nowMs;
  if (leftMs <= 0) return end(input, status, run, isRestarted(restartPolicy, run.exitCode));
  const untilReadyMs = readyAfterMs === undefined ? Number.POSITIVE_INFINITY : startedMs + readyAfterMs - nowMs;
  const ready = untilReadyMs <= 0;
  const afterMs = ready ? leftMs : Math.min(leftMs, untilReadyMs);
  return status.ready === ready ? { afterMs } : { status: { ...status, ready }, afterMs };
}

const UNHEALTHY = { reason: 'Unhealthy', message: 'Liveness probe failed: it was told to' };

function end(input: ContainerInput, status: ContainerStatus, run: ContainerRun, willRestart: boolean): ContainerChange {
  const { restartCount = 0 } = status;
  const terminated = terminatedAt(status, run.exitCode, input.nowMs);
  const withEvent = run.isKilled ? { event: UNHEALTHY } : {};
  if (!willRestart) {
    const { lastState: _, ...rest } = status;
    return { status: { ...rest, ready: false, started: false, state: { terminated } }, afterMs: 0, ...withEvent };
  }
  const waitMs = restartBackoffMs(restartCount);
  if (waitMs === 0) return { status: runningStatus(input, restartCount + 1, terminated), afterMs: 0, ...withEvent };
  return { ...backingOff(input, restartCount, terminated, waitMs), ...withEvent };
}

function backingOff(
  { pod, container }: ContainerInput,
  restartCount: number,
  terminated: ContainerStateTerminated,
  waitMs: number,
): ContainerChange {
  const { namespace, name, uid } = pod.metadata;
  const message = `back-off ${waitMs / 1_000}s restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
  const state = { waiting: { reason: 'CrashLoopBackOff', message } };
  const lastState = { terminated };
  return {
    status: { ...identityOf(container), restartCount, ready: false, started: false, state, lastState },
    afterMs: waitMs,
    event: { reason: 'BackOff', message },
  };
}

function restart(input: ContainerInput, { restartCount = 0, lastState }: ContainerStatus): ContainerChange {
  const finishedMs = Date.parse(lastState?.terminated?.finishedAt ?? '') || 0;
  const leftMs = finishedMs + restartBackoffMs(restartCount) - input.nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  return { status: runningStatus(input, restartCount + 1, lastState?.terminated), afterMs: 0 };
}

function runningStatus(
  { container, nowMs, readyAfterMs }: ContainerInput,
  restartCount: number,
  last: ContainerStateTerminated | undefined,
): ContainerStatus {
  return {
    ...identityOf(container),
    restartCount,
    ready: readyAfterMs === 0,
    started: true,
    state: { running: { startedAt: formatTime(nowMs) } },
    ...(last && { lastState: { terminated: last } }),
  };
}
