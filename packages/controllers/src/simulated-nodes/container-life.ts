import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import { isRestarted, restartBackoffMs } from '../node-agent/restart-backoff.ts';
import type { ContainerRun } from './pod-behaviour.ts';

interface ContainerFacts {
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
  readonly isOver: boolean;
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
export function nextContainerStep(facts: ContainerFacts): ContainerStep {
  let { status } = facts;
  let event: ContainerStep['event'];
  for (;;) {
    const move = moveOf({ ...facts, status });
    event ??= move.event;
    if (move.status !== undefined) status = move.status;
    if (move.status === undefined || move.afterMs > 0)
      return {
        status: status!,
        isChanged: status !== facts.status,
        isOver: status?.state?.terminated !== undefined,
        afterMs: move.afterMs,
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

/** One change of a container; without a status there is none until `afterMs` has passed. */
interface Move {
  readonly status?: ContainerStatus;
  readonly afterMs: number;
  readonly event?: { readonly reason: string; readonly message: string };
}

function moveOf(facts: ContainerFacts): Move {
  const { state, lastState } = facts.status ?? {};
  if (state?.terminated) return { afterMs: Number.POSITIVE_INFINITY };
  if (state?.running) return goOn(facts, facts.status!);
  if (lastState?.terminated) return restart(facts, facts.status!);
  return { status: runningStatus(facts, 0, undefined), afterMs: 0 };
}

function goOn(facts: ContainerFacts, status: ContainerStatus): Move {
  const { nowMs, restartPolicy, runOf, readyAfterMs } = facts;
  const { restartCount = 0 } = status;
  const startedMs = Date.parse(status.state?.running?.startedAt ?? '') || 0;
  const run = runOf(restartCount);
  const leftMs = startedMs + run.lastsMs - nowMs;
  if (leftMs <= 0) return end(facts, status, run, isRestarted(restartPolicy, run.exitCode));
  const untilReadyMs = readyAfterMs === undefined ? Number.POSITIVE_INFINITY : startedMs + readyAfterMs - nowMs;
  const ready = untilReadyMs <= 0;
  const afterMs = ready ? leftMs : Math.min(leftMs, untilReadyMs);
  return status.ready === ready ? { afterMs } : { status: { ...status, ready }, afterMs };
}

const UNHEALTHY = { reason: 'Unhealthy', message: 'Liveness probe failed: it was told to' };

function end(facts: ContainerFacts, status: ContainerStatus, run: ContainerRun, isStartedAgain: boolean): Move {
  const { restartCount = 0 } = status;
  const terminated = terminatedAt(status, run.exitCode, facts.nowMs);
  const told = run.isKilled ? { event: UNHEALTHY } : {};
  if (!isStartedAgain) {
    const { lastState: _, ...rest } = status;
    return { status: { ...rest, ready: false, started: false, state: { terminated } }, afterMs: 0, ...told };
  }
  const waitMs = restartBackoffMs(restartCount);
  if (waitMs === 0) return { status: runningStatus(facts, restartCount + 1, terminated), afterMs: 0, ...told };
  return { ...backingOff(facts, restartCount, terminated, waitMs), ...told };
}

function backingOff(
  { pod, container }: ContainerFacts,
  restartCount: number,
  terminated: ContainerStateTerminated,
  waitMs: number,
): Move {
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

function restart(facts: ContainerFacts, { restartCount = 0, lastState }: ContainerStatus): Move {
  const finishedMs = Date.parse(lastState?.terminated?.finishedAt ?? '') || 0;
  const leftMs = finishedMs + restartBackoffMs(restartCount) - facts.nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  return { status: runningStatus(facts, restartCount + 1, lastState?.terminated), afterMs: 0 };
}

function runningStatus(
  { container, nowMs, readyAfterMs }: ContainerFacts,
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
