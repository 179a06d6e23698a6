import { type Client, resourcePath } from '@pintle/client';
import { PersistentVolumeClaim, Pod, ResourceQuota, Service } from '@pintle/kinds/core/v1';
import { ResourceClaim } from '@pintle/kinds/resource/v1';
import {
  type Amounts,
  type CountedResource,
  countedBy,
  formatAmounts,
  isInScope,
  quotaUsage,
} from '@pintle/kinds/usage';
import type { KubernetesObject, ListMeta, ResourceType } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { Quantity } from '@pintle/machinery/quantity';
import type { Change, Controller, Manager } from '@pintle/operator';
import { eachLive } from '../common/each-live.ts';
import { Monitors } from '../garbage-collector/monitors.ts';

/** Kinds that are counted by more than their number. */
const COUNTED_BY_USAGE = [Pod, Service, PersistentVolumeClaim, ResourceClaim] as unknown as readonly ResourceType[];
const FULL_RESYNC_MS = 5 * 60_000;
/** Delay before resources that were unknown are looked up again. */
const UNKNOWN_RESOURCE_RETRY_MS = 2_000;

/**
 * Maintains the usage in the status of ResourceQuotas. Admission adds to it with each write; this controller
 * initializes it and subtracts what was deleted.
 */
export function addQuotaController(manager: Manager): Controller {
  const monitors = Monitors.of(manager);
  const controller = manager
    .controller(ResourceQuota, 'resourcequota')
    .options({ concurrency: 5 })
    .filter(changesLimits)
    .watches(
      Pod,
      (pod) => quotasOf(manager, pod.metadata.namespace),
      (change) => change.type === 'updated' && isUsageChanged(change.object, change.previous),
    )
    .reconcileRequests(async ({ namespace = '', name }, { client: { live } }) => {
      const quota = await live.find(ResourceQuota, { namespace, name });
      if (quota === undefined || quota.metadata.deletionTimestamp) return undefined;
      const hard = quota.spec?.hard ?? {};
      const counted = countable(monitors, quota);
      const status = { hard, used: await usedIn(live, counted, quota) };
      if (!deepEqual(status, quota.status ?? {}))
        await live.update(ResourceQuota, { ...quota, status }, { subresource: 'status' });
      return { requeueAfterMs: counted.isComplete ? FULL_RESYNC_MS : UNKNOWN_RESOURCE_RETRY_MS };
    });
  monitors.subscribe({
    observed: () => undefined,
    deleted: (_type, { metadata }) => {
      for (const request of quotasOf(manager, metadata.namespace)) controller.queue.add(request);
    },
  });
  return controller;
}

/** Ignores changes of the status, which come from this controller and from admission. */
function changesLimits(change: Change<ResourceQuota>): boolean {
  return change.type !== 'updated' || !deepEqual(change.object.spec?.hard ?? {}, change.previous.spec?.hard ?? {});
}

/** True when a pod has ended, changed its scope, or was resized. */
export function isUsageChanged(pod: Pod, previous: Pod): boolean {
  if (pod.status?.phase !== previous.status?.phase || hasDeadline(pod) !== hasDeadline(previous)) return true;
  return !deepEqual(resourcesOf(pod), resourcesOf(previous));
}

function hasDeadline({ spec }: Pod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0;
}

/** Returns the allocated resources by container name. */
function resourcesOf({ status }: Pod): unknown {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return Object.fromEntries(all.map(({ name, resources }) => [name, resources ?? {}]));
}

function* quotasOf(manager: Manager, namespace = ''): Iterable<{ namespace: string; name: string }> {
  if (namespace === '') return;
  for (const { metadata } of manager.informers.find(ResourceQuota)?.cache.list({ namespace }) ?? [])
    yield { namespace, name: metadata.name ?? '' };
}

interface Countable {
  /** Resources that the quota limits, each with its evaluator. */
  readonly resources: readonly { readonly counted: CountedResource; readonly type: ResourceType }[];
  /** Entries of the quota that these resources cover. */
  readonly names: ReadonlySet<string>;
  /** True when all resources that the quota names are known. */
  readonly isComplete: boolean;
}

/** Skips events, which are never counted, and resources that are not served yet. */
function countable(monitors: Monitors, { spec }: ResourceQuota): Countable {
  const resources = new Map<string, Countable['resources'][number]>();
  const names = new Set<string>();
  const hard = Object.keys(spec?.hard ?? {}).filter((name) => countedBy(name) !== undefined);
  for (const name of hard) {
    const counted = countedBy(name);
    const type = counted && (counted.resource === 'events' ? undefined : monitors.typeOfResource(counted));
    if (type === undefined) continue;
    names.add(name);
    resources.set(`${counted!.resource}.${counted!.group}`, { counted: counted!, type });
  }
  return { resources: [...resources.values()], names, isComplete: names.size === hard.length };
}

async function usedIn(
  client: Client,
  { resources, names }: Countable,
  quota: ResourceQuota,
): Promise<Record<string, string>> {
  const { namespace = '' } = quota.metadata;
  const usages: Amounts[][] = [];
  for (const { counted, type } of resources) usages.push(await usagesOf(client, type, counted, namespace, quota));
  return formatAmounts(totalUsage(names, usages.flat()));
}

async function usagesOf(
  client: Client,
  type: ResourceType,
  counted: CountedResource,
  namespace: string,
  quota: ResourceQuota,
): Promise<Amounts[]> {
  const isCountedByUsage = COUNTED_BY_USAGE.some(
    ({ group, plural }) => group === counted.group && plural === counted.resource,
  );
  if (isCountedByUsage) {
    const usages: Amounts[] = [];
    for await (const item of eachLive(client, type, { namespace }))
      if (isInScope(quota, counted, item)) usages.push(quotaUsage(counted, item));
    return usages;
  }
  const count = new Quantity(BigInt(await countOf(client, type, namespace)));
  const names = [...quotaUsage(counted, EMPTY_OBJECT).keys()];
  return isInScope(quota, counted, EMPTY_OBJECT) ? [new Map(names.map((name) => [name, count]))] : [];
}

/** Asks the server for the number of objects without fetching them. */
async function countOf(client: Client, type: ResourceType, namespace: string): Promise<number> {
  const path = resourcePath(type, { namespace });
  const answer = (await client.call({ method: 'GET', path, query: 'limit=1' })) as {
    metadata: ListMeta;
    items: unknown[] | null;
  };
  return (answer.items?.length ?? 0) + Number(answer.metadata.remainingItemCount ?? 0);
}

const EMPTY_OBJECT: KubernetesObject = { apiVersion: '', kind: '', metadata: {} };

/**
 * Sums the usage of objects, restricted to the named entries of a quota. Takes time in proportion to the entries that
 * an object uses.
 */
export function totalUsage(names: ReadonlySet<string>, usages: Iterable<Amounts>): Map<string, Quantity> {
  const total = new Map([...names].map((name) => [name, new Quantity(0n)]));
  for (const usage of usages) {
    for (const [name, amount] of usage) {
      const before = total.get(name);
      if (before !== undefined) total.set(name, before.add(amount));
    }
  }
  return total;
}
