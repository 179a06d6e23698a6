import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { forbiddenError, notFoundError, StatusError } from '@pintle/machinery/errors';
import type { Revision, Store, StoreRecord } from '@pintle/store';
import type { RequestContext } from '../../resource/endpoint.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { objectKey } from '../../storage/keys.ts';
import { decodeObject } from '../../storage/object-codec.ts';
import type { Guard } from '../../storage/object-store.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

/**
 * Throws unless the namespace exists and is not terminating. Returns guards that make the write fail, and be tried
 * again, when the namespace changes before it.
 */
export async function guardNamespace(context: RequestContext, name: string): Promise<Guard[]> {
  const { namespace } = context.info;
  if (context.resource.type.scope === 'Cluster') return [];
  if (context.namespaceState !== undefined) return await guardForeign(context, name);
  const key = objectKey(NAMESPACES, '', namespace);
  const record = (await context.store.get(key)) ?? (await findLatest(context.store, key));
  if (record === undefined) throw notFoundError(NAMESPACES, namespace);
  if (isEnding(context.store, record)) throw terminating(context, name);
  return [{ type: 'check', key, expected: record.modRevision }];
}

/** Asks the store for its latest state when the namespace is unknown: another server may just have created it. */
function findLatest(store: Store, key: string): Eventual<StoreRecord | undefined> {
  return after(store.latest(), () => store.get(key));
}

/** Checks a namespace that another server stores. There is no guard for that. */
async function guardForeign(context: RequestContext, name: string): Promise<Guard[]> {
  const { namespace } = context.info;
  const state = await context.namespaceState!(namespace);
  if (state === undefined) throw notFoundError(NAMESPACES, namespace);
  if (state === 'Terminating') throw terminating(context, name);
  return [];
}

/** Namespaces of each store that were active, with their revision then. */
const openIn = new WeakMap<Store, Map<string, Revision>>();
const MAX_OPEN = 1_000;

/** Caches active namespaces: they change rarely and are read with every create. */
function isEnding(store: Store, record: StoreRecord): boolean {
  const open = openIn.get(store) ?? new Map<string, Revision>();
  if (open.get(record.key) === record.modRevision) return false;
  if (isTerminating(decodeObject(record, 'Namespace'))) return true;
  if (open.size >= MAX_OPEN) open.clear();
  openIn.set(store, open.set(record.key, record.modRevision));
  return false;
}

function isTerminating(namespace: KubernetesObject & { status?: { phase?: string } }): boolean {
  return namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating';
}

function terminating(context: RequestContext, name: string): StatusError {
  const { namespace } = context.info;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbiddenError(groupResourceOf(context.resource), name, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
