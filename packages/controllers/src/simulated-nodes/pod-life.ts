import type { Container, ContainerStateTerminated, ContainerStatus, Pod, PodStatus } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import type { PodConditions } from '../node-agent/pod-conditions.ts';
import { podConditions } from '../node-agent/pod-conditions.ts';
import type { ContainerStep } from './container-life.ts';
import { identityOf, nextContainerStep, terminatedAt } from './container-life.ts';
import type { PodBehaviour } from './pod-behaviour.ts';
import { initRunOf, readyAfterMsOf, runOf } from './pod-behaviour.ts';

/** Next step of a pod on a simulated node. */
interface Step {
  /** New status; absent when unchanged. */
  readonly status?: PodStatus;
  /** Delay before the next step. */
  readonly afterMs?: number;
  readonly event?: { readonly reason: string; readonly message: string };
}

/**
 *     Pending ──► Running ──► Succeeded, Failed
 *        │                       ▲
 *        └───────────────────────┘        an init container failed, or the deadline has passed
 *
 * Init containers run one after another, then all containers at once; see `container-life.ts` for each. All state is in
 * the pod's status, so a restarted kubelet continues where another stopped.
 */
export function nextStep(pod: Pod, behaviour: PodBehaviour, nowMs: number): Step {
  const { phase } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return {};
  const leftMs = boundAtMs(pod) + (behaviour.startAfterMs ?? 0) - nowMs;
  if (pod.status?.startTime === undefined && leftMs > 0) return { afterMs: leftMs };
  if (behaviour.isImageMissing && !hasStarted(pod)) return withoutImage(pod, nowMs);
  const untilDeadlineMs = deadlineMs(pod, nowMs) - nowMs;
  if (untilDeadlineMs <= 0) return pastDeadline(pod, nowMs);
  const { afterMs, ...step } = takeStep(pod, behaviour, nowMs);
  const hasEnded = step.status?.phase === 'Succeeded' || step.status?.phase === 'Failed';
  const nextMs = hasEnded ? Number.POSITIVE_INFINITY : Math.min(afterMs, untilDeadlineMs);
  return { ...step, ...(nextMs < Number.POSITIVE_INFINITY && { afterMs: nextMs }) };
}

/** Returns the final status of a pod whose containers were stopped, for clients that keep it by a finalizer. */
export function stopped(pod: Pod, nowMs: number): PodStatus {
  const steps = stepsOf(pod, (container, status) => killed(container, status, nowMs));
  return endedStatus(pod, steps, nowMs);
}

interface PodSteps {
  readonly init: readonly ContainerStep[];
  readonly main: readonly ContainerStep[];
}

function takeStep(pod: Pod, behaviour: PodBehaviour, nowMs: number): Step & { readonly afterMs: number } {
  const { init, isInitialized, hasFailed } = initStep(pod, nowMs);
  const main = mainSteps(pod, isInitialized, behaviour, nowMs);
  const steps = { init, main };
  const all = [...init, ...main];
  const afterMs = Math.min(Number.POSITIVE_INFINITY, ...all.map((step) => step.afterMs));
  const event = all.find((step) => step.event !== undefined)?.event;
  const withEvent = event === undefined ? {} : { event };
  if (hasFailed || (isInitialized && main.every(({ hasEnded }) => hasEnded)))
    return { status: endedStatus(pod, steps, nowMs), afterMs, ...withEvent };
  const conditions = isInitialized ? conditionsOf(main) : notInitialized(pod, init);
  const status = statusOf(pod, isInitialized ? 'Running' : 'Pending', conditions, steps, nowMs);
  const isUnchanged = all.every(({ isChanged }) => !isChanged) && isPodUnchanged(pod, status);
  return { ...(!isUnchanged && { status }), afterMs, ...withEvent };
}

/** Runs init containers up to the first that has not ended. Sidecars keep running and do not delay the others. */
function initStep(pod: Pod, nowMs: number): { init: ContainerStep[]; isInitialized: boolean; hasFailed: boolean } {
  const { initContainers = [], restartPolicy = 'Always' } = pod.spec ?? {};
  const init: ContainerStep[] = [];
  let [isInitialized, hasFailed] = [true, false];
  for (const container of initContainers) {
    const status = pod.status?.initContainerStatuses?.find(({ name }) => name === container.name);
    if (!isInitialized) {
      init.push(waiting(container, status));
      continue;
    }
    const isSidecar = container.restartPolicy === 'Always';
    const step = nextContainerStep({
      pod,
      container,
      status,
      nowMs,
      // A succeeded init container is not restarted, whatever the pod's policy.
      restartPolicy: isSidecar ? 'Always' : restartPolicy === 'Never' ? 'Never' : 'OnFailure',
      runOf: () => (isSidecar ? ENDLESS : initRunOf(container)),
      readyAfterMs: isSidecar ? 0 : undefined,
    });
    init.push(step);
    isInitialized = isSidecar ? step.status.state?.running !== undefined : step.hasEnded && exitCodeOf(step) === 0;
    hasFailed = !isSidecar && step.hasEnded && exitCodeOf(step) !== 0;
  }
  return { init, isInitialized, hasFailed };
}

const ENDLESS = { lastsMs: Number.POSITIVE_INFINITY, exitCode: 0, isKilled: false };

function mainSteps(pod: Pod, isInitialized: boolean, behaviour: PodBehaviour, nowMs: number): ContainerStep[] {
  return (pod.spec?.containers ?? []).map((container) => {
    const status = pod.status?.containerStatuses?.find(({ name }) => name === container.name);
    if (!isInitialized) return waiting(container, status);
    return nextContainerStep({
      pod,
      container,
      status,
      nowMs,
      restartPolicy: pod.spec?.restartPolicy ?? 'Always',
      runOf: (restarts) => runOf(pod, container, behaviour, restarts),
      readyAfterMs: readyAfterMsOf(container, behaviour),
    });
  });
}

/** The container waits for the init containers before it. */
function waiting(container: Container, status: ContainerStatus | undefined): ContainerStep {
  return {
    status: status ?? {
      ...identityOf(container),
      restartCount: 0,
      ready: false,
      started: false,
      state: { waiting: { reason: 'PodInitializing' } },
    },
    isChanged: status === undefined,
    hasEnded: false,
    afterMs: Number.POSITIVE_INFINITY,
  };
}

function exitCodeOf({ status }: ContainerStep): number | undefined {
  return status.state?.terminated?.exitCode;
}

function hasStarted({ status }: Pod): boolean {
  return (status?.containerStatuses ?? []).some(({ state }) => state?.running ?? state?.terminated);
}

function boundAtMs({ metadata, status }: Pod): number {
  const bound = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'True');
  return Date.parse(bound?.lastTransitionTime ?? metadata.creationTimestamp ?? '') || 0;
}

function deadlineMs({ spec, status }: Pod, nowMs: number): number {
  const { activeDeadlineSeconds } = spec ?? {};
  if (activeDeadlineSeconds === undefined) return Number.POSITIVE_INFINITY;
  return (Date.parse(status?.startTime ?? '') || nowMs) + Number(activeDeadlineSeconds) * 1_000;
}

const DEADLINE = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

function pastDeadline(pod: Pod, nowMs: number): Step {
  const steps = stepsOf(pod, (container, status) => killed(container, status, nowMs));
  return { status: { ...endedStatus(pod, steps, nowMs), phase: 'Failed', ...DEADLINE }, event: DEADLINE };
}

function stepsOf(
  { spec, status }: Pod,
  take: (container: Container, status: ContainerStatus | undefined) => ContainerStep,
): PodSteps {
  const of = (containers: readonly Container[] = [], statuses: readonly ContainerStatus[] = []): ContainerStep[] =>
    containers.map((container) =>
      take(
        container,
        statuses.find(({ name }) => name === container.name),
      ),
    );
  return {
    init: of(spec?.initContainers, status?.initContainerStatuses),
    main: of(spec?.containers, status?.containerStatuses),
  };
}

/** Returns the container as SIGTERM leaves it. One that had ended is unchanged. */
function killed(container: Container, status: ContainerStatus | undefined, nowMs: number): ContainerStep {
  const over = { isChanged: true, hasEnded: true, afterMs: Number.POSITIVE_INFINITY };
  if (status?.state?.terminated) return { status, ...over };
  const terminated = terminatedAt(status, SIGTERM_EXIT_CODE, nowMs);
  return { status: ended(container, status, terminated), ...over };
}

const SIGTERM_EXIT_CODE = 143;

function ended(
  container: Container,
  status: ContainerStatus | undefined,
  terminated: ContainerStateTerminated,
): ContainerStatus {
  const { restartCount = 0 } = status ?? {};
  return { ...identityOf(container), restartCount, ready: false, started: false, state: { terminated } };
}

function withoutImage(pod: Pod, nowMs: number): Step {
  const image = pod.spec?.containers[0]?.image ?? '';
  const state = { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } };
  if (pod.status?.containerStatuses?.[0]?.state?.waiting?.reason === state.waiting.reason) return {};
  const steps = stepsOf(pod, (container) => ({
    status: { ...identityOf(container), restartCount: 0, ready: false, started: false, state },
    isChanged: true,
    hasEnded: false,
    afterMs: Number.POSITIVE_INFINITY,
  }));
  const status = statusOf(pod, 'Pending', conditionsOf(steps.main), steps, nowMs);
  return { status, event: { reason: 'Failed', message: `Failed to pull image "${image}": it is not there` } };
}

/** Stops sidecars, which end with the main containers. */
function endedStatus(pod: Pod, { init, main }: PodSteps, nowMs: number): PodStatus {
  const isSucceeded = main.every((step) => exitCodeOf(step) === 0);
  const steps = {
    main,
    init: init.map((step, index) =>
      step.status.state?.running ? sidecarEnded(pod.spec!.initContainers![index]!, step, nowMs) : step,
    ),
  };
  const reason = isSucceeded ? 'PodCompleted' : 'PodFailed';
  const withEvent = { ...conditionsOf(main), areContainersReady: false, reason, message: '' };
  return statusOf(pod, isSucceeded ? 'Succeeded' : 'Failed', withEvent, steps, nowMs);
}

function sidecarEnded(container: Container, step: ContainerStep, nowMs: number): ContainerStep {
  return { ...step, status: ended(container, step.status, terminatedAt(step.status, 0, nowMs)), hasEnded: true };
}

function conditionsOf(main: readonly ContainerStep[]): PodConditions {
  const unready = main.filter(({ status }) => !status.ready).map(({ status }) => status.name);
  if (unready.length === 0) return { isInitialized: true, areContainersReady: true };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { isInitialized: true, areContainersReady: false, reason: 'ContainersNotReady', message };
}

function notInitialized({ spec }: Pod, init: readonly ContainerStep[]): PodConditions {
  const isDone = (name: string): boolean =>
    init.some(({ status, hasEnded }) => status.name === name && (hasEnded || status.state?.running !== undefined));
  const names = (spec?.initContainers ?? []).map(({ name }) => name).filter((name) => !isDone(name));
  const message = `containers with incomplete status: [${names.join(' ')}]`;
  return { isInitialized: false, areContainersReady: false, reason: 'ContainersNotInitialized', message };
}

function statusOf(
  pod: Pod,
  phase: NonNullable<PodStatus['phase']>,
  conditions: PodConditions,
  { init, main }: PodSteps,
  nowMs: number,
): PodStatus {
  const { generation } = pod.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    startTime: pod.status?.startTime ?? formatTime(nowMs),
    conditions: podConditions(pod, conditions, nowMs),
    ...(init.length > 0 && { initContainerStatuses: init.map(({ status }) => status) }),
    containerStatuses: main.map(({ status }) => status),
  };
}

/** True when phase, readiness and reason of the pod's status are unchanged. */
function isPodUnchanged({ status }: Pod, next: PodStatus): boolean {
  const readyIn = (of: PodStatus | undefined): string | undefined =>
    of?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return (
    status?.phase === next.phase &&
    readyIn(status) === readyIn(next) &&
    status?.observedGeneration === next.observedGeneration
  );
}
