import type { CachedClient } from '@pintle/client';
import { Pod, type PodTemplateSpec } from '@pintle/kinds/core/v1';
import type { Cached, KubernetesObject, ResourceType } from '@pintle/machinery';
import { ignoring, isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Controller, Manager, Result } from '@pintle/operator';
import { claimChildren } from '../common/claim-children.ts';
import { allSettledLimited, podRateLimiter, slowStartBatch } from '../common/concurrency.ts';
import { DeferredStatus } from '../common/deferred-status.ts';
import { smallest } from '../common/extremes.ts';
import { type ByController, byController, controllerOf, controllerRef, ownerRequests } from '../common/owners.ts';
import { PodControl } from '../common/pod-control.ts';
import { availableAtMs, isActive, isAvailable, isReady, podFromTemplate } from '../common/pods.ts';
import { eventRecorder } from '../common/record-event.ts';
import { precompile } from '../common/selectors.ts';
import { inDeletionOrder } from './deletion-order.ts';

/** Common fields of ReplicaSets and ReplicationControllers. */
interface Replicated extends KubernetesObject {
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec };
  status?: ReplicatedStatus;
}

interface ReplicatedStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: readonly {
    type: string;
    status: string;
    reason?: string;
    message?: string;
    lastTransitionTime?: string | null;
  }[];
}

interface ReplicaControllerOptions<T extends Replicated> {
  readonly name: string;
  readonly component: string;
  readonly type: ResourceType<T>;
  readonly matches: (owner: T) => (labels: Readonly<Record<string, string>>) => boolean;
  readonly countsTerminating: boolean;
}

/** Pods that one sync creates or deletes at most; the rest follows in the next. */
const MAX_BURST = 500;
/** Delay in which pod events are gathered into one sync and one status update. */
const BATCH_PERIOD_MS = 20;

/** Creates missing pods and deletes excess ones. */
export function addReplicaController<T extends Replicated>(
  manager: Manager,
  options: ReplicaControllerOptions<T>,
): Controller {
  const { type, name, component, matches } = options;
  const record = eventRecorder(manager, component);
  const children = byController(manager, Pod);
  const statuses = new DeferredStatus();
  const limiter = podRateLimiter(manager);
  return manager
    .controller(type, name)
    .filter(({ object }) => precompile(() => options.matches(plain<T>(object))))
    .options({ concurrency: 5 })
    .watches(Pod, (pod) => ownerRequests(manager, type, pod, (owner, labels) => matches(plain<T>(owner))(labels)), {
      coalesceMs: BATCH_PERIOD_MS,
    })
    .reconcile(async (cached, { client, clock, signal }) => {
      const owner = plain<T>(cached);
      const { namespace = '' } = owner.metadata;
      const matches = options.matches(owner);
      const owned = await children.controlledBy(owner);
      // Pods that have ended or are being deleted are neither adopted nor released.
      const active = await claimChildren({
        client,
        owner,
        ownerType: type,
        childType: Pod,
        candidates: [...owned, ...(await children.orphans(namespace))].filter(isActive),
        matches,
      });
      const pods = new PodControl({ client, record, type, owner, throttle: () => limiter.take({ signal }) });
      const missing = owner.metadata.deletionTimestamp ? 0 : (owner.spec?.replicas ?? 1) - active.length;
      const failure = await manageReplicas({ type, owner, pods, nowMs: clock.now() }, active, missing, () =>
        relatedPods(client, type, owner, children),
      );
      const isChanged = missing !== 0 && failure === undefined;
      if (statuses.shouldDefer(owner.metadata.uid ?? '', { isChanged })) return { requeueAfterMs: BATCH_PERIOD_MS };
      const ended = owned.filter((pod) => !isActive(pod));
      const now = failure === undefined ? await children.controlledBy(owner) : [...active, ...ended];
      const mine = now.filter((pod) => matches(pod.metadata.labels ?? {}));
      const result = await writeStatus(client, options, owner, mine, failure, clock.now());
      if (failure !== undefined) throw failure;
      return result;
    });
}

/**
 * Returns the cached object as one of its kind, which the compiler cannot infer for a type parameter. Callers only read
 * it.
 */
function plain<T extends Replicated>(owner: Cached<T>): T {
  return owner as unknown as T;
}

interface ReplicaSync<T extends Replicated> {
  readonly type: ResourceType<T>;
  readonly owner: T;
  readonly pods: PodControl;
  readonly nowMs: number;
}

/** Returns the first error. */
async function manageReplicas<T extends Replicated>(
  sync: ReplicaSync<T>,
  active: readonly Pod[],
  missing: number,
  listRelated: () => Promise<readonly Pod[]>,
): Promise<unknown> {
  if (missing > 0) return await createPods(sync, Math.min(missing, MAX_BURST));
  if (missing < 0) return await deletePods(sync, active, await listRelated(), Math.min(-missing, MAX_BURST));
  return undefined;
}

async function createPods<T extends Replicated>(
  { type, owner, pods }: ReplicaSync<T>,
  count: number,
): Promise<unknown> {
  const pod = podFromTemplate(owner.spec?.template ?? { spec: { containers: [] } }, owner, controllerRef(type, owner));
  const { error } = await slowStartBatch(count, () => pods.create(pod));
  return error;
}

async function deletePods<T extends Replicated>(
  { pods, nowMs }: ReplicaSync<T>,
  active: readonly Pod[],
  related: readonly Pod[],
  count: number,
): Promise<unknown> {
  const removed = inDeletionOrder(active, related, nowMs).slice(0, count);
  const outcomes = await allSettledLimited(removed, (pod) => pods.delete(pod));
  return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
}

/** Returns the active pods of all sets with the same owner, because deletion spreads the pods of a whole Deployment. */
async function relatedPods<T extends Replicated>(
  client: CachedClient,
  type: ResourceType<T>,
  owner: T,
  children: ByController<Pod>,
): Promise<Pod[]> {
  const parent = controllerOf(owner)?.uid;
  const sets =
    parent === undefined
      ? [owner]
      : (await client.list(type, { namespace: owner.metadata.namespace })).filter(
          (set) => controllerOf(set)?.uid === parent,
        );
  const found = await Promise.all(sets.map((set) => children.controlledBy(set)));
  return found.flat().filter(isActive);
}

async function writeStatus<T extends Replicated>(
  client: CachedClient,
  { type, countsTerminating }: ReplicaControllerOptions<T>,
  owner: T,
  pods: readonly Pod[],
  failure: unknown,
  nowMs: number,
): Promise<Result | undefined> {
  const { minReadySeconds = 0, template, replicas: wanted = 1 } = owner.spec ?? {};
  const active = pods.filter(isActive);
  const templateLabels = Object.entries(template?.metadata?.labels ?? {});
  const count = (isCounted: (pod: Pod) => boolean): number => active.filter(isCounted).length;
  const readyReplicas = count(isReady);
  const availableReplicas = count((pod) => isAvailable(pod, minReadySeconds, nowMs));
  const fullyLabeled = count(({ metadata }) =>
    templateLabels.every(([key, value]) => metadata.labels?.[key] === value),
  );
  const terminating = pods.filter(
    ({ metadata, status }) => metadata.deletionTimestamp && status?.phase !== 'Failed' && status?.phase !== 'Succeeded',
  ).length;
  const { conditions: _conditions, ...former } = owner.status ?? { replicas: 0 };
  const conditions = conditionsOf(owner, wanted - active.length, failure, nowMs);
  const status: ReplicatedStatus = {
    replicas: active.length,
    ...(fullyLabeled > 0 && { fullyLabeledReplicas: fullyLabeled }),
    ...(readyReplicas > 0 && { readyReplicas }),
    ...(availableReplicas > 0 && { availableReplicas }),
    ...(countsTerminating && { terminatingReplicas: terminating }),
    observedGeneration: owner.metadata.generation ?? 0,
    ...(conditions.length > 0 && { conditions }),
  };
  if (!deepEqual({ ...former, conditions: owner.status?.conditions ?? [] }, { ...status, conditions })) {
    await client.update(type, { ...owner, status }, { subresource: 'status' }).catch(ignoring(isNotFound));
  }
  return requeueAfter(active, minReadySeconds, nowMs);
}

/** Requeues when the next ready pod becomes available. */
function requeueAfter(pods: readonly Pod[], minReadySeconds: number, nowMs: number): Result | undefined {
  const times = pods.map((pod) => availableAtMs(pod, minReadySeconds) ?? nowMs).filter((atMs) => atMs > nowMs);
  const nextMs = smallest(times);
  return nextMs === undefined ? undefined : { requeueAfterMs: nextMs - nowMs };
}

function conditionsOf<T extends Replicated>(
  { status }: T,
  missing: number,
  failure: unknown,
  nowMs: number,
): NonNullable<ReplicatedStatus['conditions']> {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  const before = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  if (failure === undefined) return others;
  if (before !== undefined) return [...others, before];
  const reason = missing >= 0 ? 'FailedCreate' : 'FailedDelete';
  const message = failure instanceof Error ? failure.message : String(failure);
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', reason, message, lastTransitionTime: formatTime(nowMs) },
  ];
}
