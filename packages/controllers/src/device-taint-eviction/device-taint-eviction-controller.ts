import type { CachedClient } from '@pintle/client';
import { defineIndex } from '@pintle/client';
import { Pod } from '@pintle/kinds/core/v1';
import { ResourceClaim, ResourceSlice } from '@pintle/kinds/resource/v1';
import { isNotFound } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager, NamespacedRequest, Result } from '@pintle/operator';
import { addDisruptionTarget } from '../common/disruption-target.ts';
import { smallest } from '../common/extremes.ts';
import { eventRecorder } from '../common/record-event.ts';
import { claimNameOf, isClaimForPod, isReservedFor } from '../resource-claims/claims-of-pod.ts';
import { claimEvictionTimeMs, type DevicePool } from './claim-eviction-time.ts';

const NAME = 'device-taint-eviction-controller';
const CLAIMS_BY_POOL = defineIndex(ResourceClaim, poolsOf);
const SLICES_BY_POOL = defineIndex(ResourceSlice, ({ spec }) => [
  poolKey({ driver: spec.driver, pool: spec.pool.name }),
]);
const DISRUPTION = {
  reason: 'DeletionByDeviceTaintManager',
  message: 'Device Taint manager: deleting due to NoExecute taint',
};

/** Deletes pods that use devices with NoExecute taints which their claims do not tolerate, or no longer. */
export function addDeviceTaintEvictionController(manager: Manager): Controller {
  const record = eventRecorder(manager, NAME);
  const recordEvent = (pod: Pod, message: string): void =>
    record(Pod, pod, { type: 'Normal', reason: 'DeviceTaintManagerEviction', message });
  /** UIDs of pods that will be evicted later, by namespace and name. */
  const pendingEvictions = new Map<string, string | undefined>();
  return manager
    .controller(Pod, 'device-taint-eviction')
    .options({ concurrency: 8 })
    .filter(
      ({ type, object }) => type === 'deleted' || (object.spec?.resourceClaims?.length ?? 0) > 0,
      (change) =>
        change.type !== 'updated' ||
        change.object.spec?.nodeName !== change.previous.spec?.nodeName ||
        !deepEqual(change.object.status?.resourceClaimStatuses, change.previous.status?.resourceClaimStatuses),
    )
    .watches(ResourceClaim, podsUsing, { indexes: [CLAIMS_BY_POOL] })
    .watches(
      ResourceSlice,
      ({ spec }) => podsUsingPool(manager, poolKey({ driver: spec.driver, pool: spec.pool.name })),
      { indexes: [SLICES_BY_POOL] },
    )
    .reconcileRequests(async (request, { client, clock }): Promise<Result | undefined> => {
      const pod = await client.find(Pod, request);
      const key = `${request.namespace}/${request.name}`;
      const wasPending = pendingEvictions.has(key) && pendingEvictions.get(key) === pod?.metadata.uid;
      pendingEvictions.delete(key);
      if (pod === undefined) return undefined;
      const atMs = await podEvictionTimeMs(manager, client, pod);
      if (atMs === undefined) {
        if (wasPending) recordEvent(pod, 'Cancelling deletion');
        return undefined;
      }
      const nowMs = clock.now();
      if (atMs > nowMs) {
        pendingEvictions.set(key, pod.metadata.uid);
        return { requeueAfterMs: atMs - nowMs };
      }
      if (pod.metadata.deletionTimestamp) return undefined;
      recordEvent(pod, 'Marking for deletion');
      await evict(client, pod, nowMs);
      return undefined;
    });
}

function podsUsing({ metadata: { namespace = '' }, status }: ResourceClaim): NamespacedRequest[] {
  return (status?.reservedFor ?? [])
    .filter(({ apiGroup = '', resource }) => apiGroup === '' && resource === 'pods')
    .map(({ name }) => ({ namespace, name }));
}

function podsUsingPool({ informers }: Manager, value: string): NamespacedRequest[] {
  const claims = informers.find(ResourceClaim)?.cache.list({ index: CLAIMS_BY_POOL.is(value) }) ?? [];
  return claims.flatMap((claim) => podsUsing(claim));
}

function poolsOf({ status }: ResourceClaim): string[] {
  return [...new Set(status?.allocation?.devices?.results?.map(poolKey))];
}

function poolKey({ driver, pool }: DevicePool): string {
  return `${driver}/${pool}`;
}

/** Returns when the pod must be evicted; `undefined` when it may stay. */
async function podEvictionTimeMs({ informers }: Manager, client: CachedClient, pod: Pod): Promise<number | undefined> {
  if (!pod.spec?.nodeName) return undefined;
  const { namespace } = pod.metadata;
  const slices = informers.find(ResourceSlice)?.cache;
  const times: number[] = [];
  for (const wanted of pod.spec.resourceClaims ?? []) {
    const name = claimNameOf(pod, wanted);
    const claim = name === undefined ? undefined : await client.find(ResourceClaim, { namespace, name });
    if (claim === undefined || !isClaimForPod(claim, pod, wanted) || !isReservedFor(claim, pod)) continue;
    const atMs = claimEvictionTimeMs(claim, (pool) => slices?.list({ index: SLICES_BY_POOL.is(poolKey(pool)) }) ?? []);
    if (atMs !== undefined) times.push(atMs);
  }
  return smallest(times);
}

async function evict(client: CachedClient, pod: Pod, nowMs: number): Promise<void> {
  try {
    await addDisruptionTarget(client, pod, { ...DISRUPTION, nowMs, setsGeneration: false });
    await client.delete(Pod, pod);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
