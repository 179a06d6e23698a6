import type { Deployment, DeploymentCondition, ReplicaSet } from '@pintle/kinds/apps/v1';
import { formatTime } from '@pintle/machinery/time';
import { boundsOf, desiredReplicas, sum, totalAvailable, totalSize } from './sizes.ts';

type Status = NonNullable<Deployment['status']>;

/** Value of `progressDeadlineSeconds` that means no deadline. */
const NO_DEADLINE = 2_147_483_647;

export function conditionOf(status: Status | undefined, type: string): DeploymentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Returns the conditions with one of them set. A condition with the same status and reason stays as it is. */
export function withCondition(
  conditions: readonly DeploymentCondition[],
  next: Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>,
  nowMs: number,
): DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === next.type);
  if (before?.status === next.status && before.reason === next.reason) return [...conditions];
  return [...conditions.filter(({ type }) => type !== next.type), dated(next, before, nowMs)];
}

function dated(
  next: Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>,
  before: DeploymentCondition | undefined,
  nowMs: number,
): DeploymentCondition {
  const time = formatTime(nowMs);
  const lastTransitionTime = before?.status === next.status ? (before.lastTransitionTime ?? time) : time;
  return { ...next, lastUpdateTime: time, lastTransitionTime };
}

/** Returns the status with the sums over the ReplicaSets and the Available condition. */
export function calculateStatus(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  nowMs: number,
): Status {
  const available = totalAvailable(sets);
  const counts = {
    replicas: sum(sets, ({ status }) => status?.replicas),
    updatedReplicas: newest?.status?.replicas ?? 0,
    readyReplicas: sum(sets, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalSize(sets) - available),
  };
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const isEnough = available >= desiredReplicas(deployment) - boundsOf(deployment).maxUnavailable;
  const words = isEnough
    ? { status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    terminatingReplicas: sum(sets, ({ status }) => status?.terminatingReplicas),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, { type: 'Available', ...words }, nowMs),
  };
}

/** Returns the status of a Deployment that rolls out, with the Progressing condition. */
export function rolloutStatus(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  nowMs: number,
): Status {
  const status = calculateStatus(deployment, newest, sets, nowMs);
  let conditions = status.conditions ?? [];
  const current = conditionOf(status, 'Progressing');
  const isDone =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable';
  if (!hasDeadline(deployment)) conditions = conditions.filter(({ type }) => type !== 'Progressing');
  else if (!isDone) conditions = withProgress(deployment, newest, status, conditions, nowMs);
  return { ...status, conditions: withFailure(conditions, newest, sets, nowMs) };
}

function withProgress(
  deployment: Deployment,
  newest: ReplicaSet | undefined,
  status: Status,
  conditions: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentCondition[] {
  const what = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const before = conditions.find(({ type }) => type === 'Progressing');
  if (isComplete(deployment, status)) {
    const message = `${what} has successfully progressed.`;
    return withCondition(
      conditions,
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message },
      nowMs,
    );
  }
  if (isProgressing(deployment, status)) {
    const next = {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `${what} is progressing.`,
    };
    return [...conditions.filter(({ type }) => type !== 'Progressing'), dated(next, before, nowMs)];
  }
  if (isTimedOut(deployment, status, nowMs)) {
    const message = `${what} has timed out progressing.`;
    return withCondition(
      conditions,
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message },
      nowMs,
    );
  }
  return [...conditions];
}

function withFailure(
  conditions: readonly DeploymentCondition[],
  newest: ReplicaSet | undefined,
  sets: readonly ReplicaSet[],
  nowMs: number,
): DeploymentCondition[] {
  const failures = (newest?.status?.conditions?.length ? [newest] : sets).flatMap(
    ({ status }) => status?.conditions ?? [],
  );
  const failure = failures.find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  const { status, reason = '', message = '' } = failure;
  return withCondition(conditions, { type: 'ReplicaFailure', status, reason, message }, nowMs);
}

export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const isObserved = observedGeneration >= (deployment.metadata.generation ?? 0);
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted && isObserved;
}

function isProgressing({ status: before = {} }: Deployment, status: Status): boolean {
  const old = (counts: Status): number => (counts.replicas ?? 0) - (counts.updatedReplicas ?? 0);
  return (
    (status.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(status) < old(before) ||
    (status.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (status.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, status: Status, nowMs: number): boolean {
  const condition = conditionOf(status, 'Progressing');
  if (condition === undefined || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  const deadlineMs = progressDeadlineMs(deployment);
  return deadlineMs !== undefined && Date.parse(condition.lastUpdateTime ?? '') + deadlineMs < nowMs;
}

/** Returns the time until the progress deadline has to be checked; `undefined` when it does not apply. */
export function untilDeadlineMs(deployment: Deployment, status: Status, nowMs: number): number | undefined {
  const condition = conditionOf(status, 'Progressing');
  const deadlineMs = progressDeadlineMs(deployment);
  if (condition === undefined || deadlineMs === undefined || isComplete(deployment, status)) return undefined;
  if (condition.reason === 'NewReplicaSetAvailable' || condition.reason === 'ProgressDeadlineExceeded')
    return undefined;
  return Math.max(0, Date.parse(condition.lastUpdateTime ?? '') + deadlineMs - nowMs) + 1_000;
}

export function hasDeadline(deployment: Deployment): boolean {
  return progressDeadlineMs(deployment) !== undefined;
}

function progressDeadlineMs({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === undefined || seconds === NO_DEADLINE ? undefined : seconds * 1_000;
}
