import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import type { FollowedObjects } from '@pintle/apiserver/cache';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { decodeObject, encodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Pod, ResourceQuota } from '@pintle/kinds/core/v1';
import type { Amounts, CountedResource } from '@pintle/kinds/usage';
import {
  addAmounts,
  formatAmounts,
  isInScope,
  missingForQuota,
  quotaUsage,
  readAmounts,
  subtractAmounts,
} from '@pintle/kinds/usage';
import type { Operation, Store } from '@pintle/store';
import { forbid, isWriteOf } from './targets.ts';

const QUOTAS = { group: '', resource: 'resourcequotas' };
/** Resources whose updates may use more; for others only creation counts. */
const GROW: ReadonlySet<string> = new Set(['services', 'persistentvolumeclaims']);

type Used = Record<string, string | number>;

/**
 * Keeps a namespace within its quotas. Usage is updated in the same transaction as the write, so that no two writes can
 * use the same rest.
 */
export function resourceQuotaPlugin(store: Store, quotas: FollowedObjects<ResourceQuota>): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    handles: isCounted,
    validate: async (request) => {
      for (const quota of inOrder(await quotas.now(request.namespace))) charge(request, quota);
    },
    reserve: async (request) => {
      const operations: Operation[] = [];
      let bytes = 0;
      for (const { metadata } of inOrder(await quotas.now(request.namespace))) {
        const record = await store.get(objectKey(QUOTAS, request.namespace, metadata.name ?? ''));
        if (record === undefined) continue;
        bytes += record.value.length;
        request.context.yielding.weigh(bytes);
        const quota = await request.context.yielding.inOwnTurn(
          () => decodeObject(record, 'ResourceQuota') as ResourceQuota,
        );
        const used = charge(request, quota);
        if (used === undefined) continue;
        const value = encodeObject(await charged(request, quota, used));
        operations.push({ type: 'put', key: record.key, value, expected: record.modRevision });
      }
      return operations;
    },
  };
}

/** Returns the quota with its new usage. Loads the code for field ownership here, because a start does not need it. */
async function charged({ context }: AdmissionRequest, quota: ResourceQuota, used: Used): Promise<ResourceQuota> {
  const next = { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used } } as ResourceQuota;
  const resource = await context.resources.find({ ...QUOTAS, version: 'v1' });
  const { recordServer } = await import('@pintle/apiserver/registry');
  await recordServer(context, { resource: resource!, subresource: 'status' }, next, quota);
  return next;
}

function isCounted(request: AdmissionRequest): boolean {
  const { context, operation, namespace } = request;
  const { info, resource } = context;
  if (isWriteOf(request, 'pods', ['UPDATE'], 'resize')) return true;
  if (namespace === '' || info.subresource !== '' || resource.scaleView !== undefined) return false;
  if (isWriteOf(request, 'pods', ['UPDATE'])) return changesScope(request);
  return operation === 'CREATE' || (operation === 'UPDATE' && info.group === '' && GROW.has(info.resource));
}

/** True when a pod gets or loses a deadline, and so moves to or from the quotas of terminating pods. */
function changesScope({ object, oldObject }: AdmissionRequest): boolean {
  const ends = (pod: Pod): boolean => (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
  return ends(object as Pod) !== ends(oldObject as Pod);
}

function inOrder(quotas: ReadonlyMap<string, ResourceQuota>): ResourceQuota[] {
  return [...quotas.values()].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}

/**
 * Returns the usage after the write; `undefined` when the write uses nothing of the quota. Throws when it exceeds the
 * quota.
 */
function charge(request: AdmissionRequest, quota: ResourceQuota): Used | undefined {
  const counted: CountedResource = { group: request.context.info.group, resource: request.context.info.resource };
  const object = request.object!;
  if (!isInScope(quota, counted, object)) return undefined;
  if (counted.resource === 'pods' && counted.group === '') {
    const missing = missingForQuota(object as Pod, new Set(Object.keys(quota.status?.hard ?? {})));
    if (missing !== '') throw forbid(request, `failed quota: ${quota.metadata.name}: must specify ${missing}`);
  }
  const { oldObject } = request;
  const before = oldObject && isInScope(quota, counted, oldObject) ? quotaUsage(counted, oldObject) : undefined;
  const usage = quotaUsage(counted, object);
  const wanted = before ? subtractAmounts(usage, before) : usage;
  const hard = readAmounts(partOf(quota.status?.hard, wanted));
  const taken = limited(wanted, hard);
  if ([...taken.values()].every((amount) => amount.isZero)) return undefined;
  const used = readAmounts(partOf(quota.status?.used, taken));
  const after = addAmounts(used, taken);
  refuseExcess(request, quota, { hard, used, taken, after });
  return { ...quota.status?.used, ...formatAmounts(limited(after, taken)) };
}

/** Returns the entries that a write uses: a quota may have thousands, a write uses few. */
function partOf(list: Readonly<Record<string, unknown>> = {}, wanted: Amounts): Record<string, unknown> {
  return Object.fromEntries(
    [...wanted.keys()].filter((name) => Object.hasOwn(list, name)).map((name) => [name, list[name]]),
  );
}

function limited(amounts: Amounts, by: Amounts): Amounts {
  return new Map([...amounts].filter(([name]) => by.has(name)));
}

function refuseExcess(
  request: AdmissionRequest,
  { metadata }: ResourceQuota,
  {
    hard,
    used,
    taken,
    after,
  }: { readonly hard: Amounts; readonly used: Amounts; readonly taken: Amounts; readonly after: Amounts },
): void {
  const broken = [...taken.entries()].filter(
    ([name, amount]) => amount.sign > 0 && after.get(name)!.compare(hard.get(name)!) > 0,
  );
  if (broken.length === 0) return;
  const names = broken.map(([name]) => name).sort();
  const list = (amounts: Amounts): string =>
    names.map((name) => `${name}=${amounts.get(name)?.toCanonicalString() ?? '0'}`).join(',');
  throw forbid(
    request,
    `exceeded quota: ${metadata.name}, requested: ${list(taken)}, used: ${list(used)}, limited: ${list(hard)}`,
  );
}
