import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodStatus,
} from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import type { PodConditions } from '../node-agent/pod-conditions.ts';
import { podConditions } from '../node-agent/pod-conditions.ts';
import { isRestarted, restartBackoffMs } from '../node-agent/restart-backoff.ts';
import type { PodBehaviour } from './pod-behaviour.ts';
import { runOf } from './pod-behaviour.ts';

/** What happens next to a pod on a simulated node. */
export interface Step {
  /** Its new status; absent: it stays as it is. */
  readonly status?: PodStatus;
  /** When to look again, if nothing else happens. */
  readonly afterMs?: number;
  /** What people are told. */
  readonly event?: { readonly reason: string; readonly message: string };
}

/**
 *     waiting ──► running ──► ended             not restarted: the pod succeeded or failed
 *                  ▲   │
 *                  │   └──► backing off         restarted, and not for the first time
 *                  └───────────┘
 *
 * Where a pod is stands in its status alone: a kubelet that begins anew goes on where another stopped.
 */
export function nextStep(pod: Pod, behaviour: PodBehaviour, nowMs: number): Step {
  const { phase } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return {};
  const [container] = pod.status?.containerStatuses ?? [];
  if (phase !== 'Running' || container === undefined) return start(pod, behaviour, nowMs);
  return container.state?.running ? goOn(pod, behaviour, container, nowMs) : restart(pod, behaviour, container, nowMs);
}

/** Its containers are told to stop: how it ends, for whoever holds it with a finalizer. */
export function stopped(pod: Pod, nowMs: number): PodStatus {
  const [container] = pod.status?.containerStatuses ?? [];
  return ended(pod, container?.restartCount ?? 0, terminatedAt(container, 143, nowMs), nowMs);
}

function start(pod: Pod, behaviour: PodBehaviour, nowMs: number): Step {
  const { startAfterMs = 0, isImageMissing } = behaviour;
  const leftMs = boundAtMs(pod) + startAfterMs - nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  if (isImageMissing) return withoutImage(pod, nowMs);
  return running(pod, behaviour, 0, undefined, nowMs);
}

function boundAtMs({ metadata, status }: Pod): number {
  const bound = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'True');
  return Date.parse(bound?.lastTransitionTime ?? metadata.creationTimestamp ?? '') || 0;
}

function goOn(pod: Pod, behaviour: PodBehaviour, container: ContainerStatus, nowMs: number): Step {
  const startedMs = Date.parse(container.state?.running?.startedAt ?? '') || 0;
  const { restartCount = 0 } = container;
  const run = runOf(pod, behaviour, restartCount);
  const leftMs = run === undefined ? undefined : startedMs + run.lastsMs - nowMs;
  if (run === undefined || leftMs! > 0) return refresh(pod, behaviour, container, nowMs, leftMs);
  const terminated = terminatedAt(container, run.exitCode, nowMs);
  const told = run.isKilled ? { event: UNHEALTHY } : {};
  if (!isRestarted(pod.spec?.restartPolicy, run.exitCode))
    return { status: ended(pod, restartCount, terminated, nowMs), ...told };
  const waitMs = restartBackoffMs(restartCount);
  if (waitMs === 0) return { ...running(pod, behaviour, restartCount + 1, terminated, nowMs), ...told };
  return { ...backingOff(pod, restartCount, terminated, waitMs, nowMs), ...told };
}

const UNHEALTHY = { reason: 'Unhealthy', message: 'Liveness probe failed: it was told to' };

function restart(pod: Pod, behaviour: PodBehaviour, container: ContainerStatus, nowMs: number): Step {
  const { restartCount = 0, lastState } = container;
  const finishedMs = Date.parse(lastState?.terminated?.finishedAt ?? '') || 0;
  const leftMs = finishedMs + restartBackoffMs(restartCount) - nowMs;
  if (leftMs > 0) return { afterMs: leftMs };
  return running(pod, behaviour, restartCount + 1, lastState?.terminated, nowMs);
}

function running(
  pod: Pod,
  behaviour: PodBehaviour,
  restartCount: number,
  last: ContainerStateTerminated | undefined,
  nowMs: number,
): Step {
  const startedAt = formatTime(nowMs);
  const { isReady = true, readyAfterMs = 0 } = behaviour;
  const ready = isReady && readyAfterMs === 0;
  const afterMs = soonest(runOf(pod, behaviour, restartCount)?.lastsMs, isReady && !ready ? readyAfterMs : undefined);
  const told = ready ? READY : notReady(pod);
  const status = statusOf(pod, 'Running', told, nowMs, {
    restartCount,
    last,
    ready,
    state: { running: { startedAt } },
  });
  return { status, ...(afterMs !== undefined && { afterMs }) };
}

/** What its readiness probe says may change while it runs, and so may what others say of it. */
function refresh(
  pod: Pod,
  { isReady = true, readyAfterMs = 0 }: PodBehaviour,
  container: ContainerStatus,
  nowMs: number,
  leftMs: number | undefined,
): Step {
  const startedMs = Date.parse(container.state?.running?.startedAt ?? '') || 0;
  const untilReadyMs = startedMs + readyAfterMs - nowMs;
  const ready = isReady && untilReadyMs <= 0;
  const afterMs = soonest(leftMs, isReady && !ready ? untilReadyMs : undefined);
  const again = afterMs === undefined ? {} : { afterMs };
  const { restartCount = 0, lastState, state = {} } = container;
  const status = statusOf(pod, 'Running', ready ? READY : notReady(pod), nowMs, {
    restartCount,
    last: lastState?.terminated,
    ready,
    state,
  });
  const isSame = container.ready === ready && isReadyIn(pod.status) === isReadyIn(status);
  return isSame ? again : { status, ...again };
}

function isReadyIn(status: PodStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

function backingOff(
  pod: Pod,
  restartCount: number,
  last: ContainerStateTerminated,
  waitMs: number,
  nowMs: number,
): Step {
  const { namespace, name, uid } = pod.metadata;
  const reason = 'CrashLoopBackOff';
  const message = `back-off ${waitMs / 1_000}s restarting failed container=${pod.spec?.containers[0]?.name} pod=${name}_${namespace}(${uid})`;
  const state = { waiting: { reason, message } };
  return {
    status: statusOf(pod, 'Running', notReady(pod), nowMs, { restartCount, last, ready: false, state }),
    afterMs: waitMs,
    event: { reason: 'BackOff', message },
  };
}

function withoutImage(pod: Pod, nowMs: number): Step {
  const image = pod.spec?.containers[0]?.image ?? '';
  const state = { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } };
  if (pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === state.waiting.reason) return {};
  const status = statusOf(pod, 'Pending', notReady(pod), nowMs, {
    restartCount: 0,
    last: undefined,
    ready: false,
    state,
  });
  return { status, event: { reason: 'Failed', message: `Failed to pull image "${image}": it is not there` } };
}

function ended(pod: Pod, restartCount: number, terminated: ContainerStateTerminated, nowMs: number): PodStatus {
  const isWell = terminated.exitCode === 0;
  const told = {
    ...notReady(pod),
    isInitialized: true,
    reason: isWell ? 'PodCompleted' : 'PodFailed',
    message: '',
  };
  const phase = isWell ? 'Succeeded' : 'Failed';
  return statusOf(pod, phase, told, nowMs, { restartCount, last: undefined, ready: false, state: { terminated } });
}

function terminatedAt(
  container: ContainerStatus | undefined,
  exitCode: number,
  nowMs: number,
): ContainerStateTerminated {
  const finishedAt = formatTime(nowMs);
  const startedAt = container?.state?.running?.startedAt ?? finishedAt;
  return { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt };
}

const READY: PodConditions = { isInitialized: true, areContainersReady: true };

function notReady({ spec }: Pod): PodConditions {
  const names = (spec?.containers ?? []).map(({ name }) => name).join(' ');
  const message = `containers with unready status: [${names}]`;
  return { isInitialized: true, areContainersReady: false, reason: 'ContainersNotReady', message };
}

interface ContainersAre {
  readonly restartCount: number;
  readonly last: ContainerStateTerminated | undefined;
  readonly ready: boolean;
  readonly state: ContainerState;
}

/** All containers of a pod do the same. Init containers have been, and sidecars run. */
function statusOf(
  pod: Pod,
  phase: NonNullable<PodStatus['phase']>,
  told: PodConditions,
  nowMs: number,
  are: ContainersAre,
): PodStatus {
  const { restartCount, last, ready, state } = are;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const startTime = pod.status?.startTime ?? formatTime(nowMs);
  const done = { exitCode: 0, reason: 'Completed', startedAt: startTime, finishedAt: startTime };
  return {
    phase,
    startTime,
    conditions: podConditions(pod, told, nowMs),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((container) =>
        container.restartPolicy === 'Always'
          ? { ...identityOf(container), restartCount: 0, ready, started: ready, state }
          : { ...identityOf(container), restartCount: 0, ready: true, started: false, state: { terminated: done } },
      ),
    }),
    containerStatuses: containers.map((container) => ({
      ...identityOf(container),
      restartCount,
      ready,
      started: state.running !== undefined,
      state,
      ...(last && { lastState: { terminated: last } }),
    })),
  };
}

function identityOf({
  name,
  image = '',
}: Container): Pick<ContainerStatus, 'name' | 'image' | 'imageID' | 'containerID'> {
  return { name, image, imageID: `simulated://${image}`, containerID: `simulated://${name}` };
}

function soonest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
