import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, shardFencedError } from '@pintle/machinery/errors';
import type { ShardFence, ShardSlot } from '@pintle/machinery/selectors';
import { FENCE_HEADER, parseFence, parseShardMap, SHARD_MAP_KEY, SHARD_MAP_LABEL } from '@pintle/machinery/selectors';
import type { Revision, Store, StoreRecord } from '@pintle/store';
import { headerOf } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { SharedTurn } from '../../resource/yield-policy.ts';
import { objectKey } from '../../storage/keys.ts';
import { decodeObject } from '../../storage/object-codec.ts';
import type { Guard } from '../../storage/object-store.ts';

const MAPS = { group: '', resource: 'configmaps' };

/**
 * Returns the guard of a fenced write: the transaction is refused, and the write tried again, when the shard map changes
 * before it. Returns none for other writes. Throws 409 when the slot has another epoch, and 400 for a malformed fence.
 */
export async function fenceGuards(context: RequestContext, name: string): Promise<readonly Guard[]> {
  const text = headerOf(context.request, FENCE_HEADER);
  if (text === undefined) return NONE;
  const fence = parseFence(text);
  if (fence === undefined) throw badRequestError(`invalid ${FENCE_HEADER} header: expected namespace/name/slot/epoch`);
  const { storage } = context.resource.scaleView?.parent ?? context.resource;
  const key = objectKey(MAPS, fence.namespace, fence.name);
  if (storage.group === '' && storage.resource === 'configmaps' && isMap(context, name, fence))
    throw badRequestError(`invalid ${FENCE_HEADER} header: a shard map cannot fence its own writes`);
  const record = await context.store.get(key);
  const slot = record && (await slotsOf(context, record))?.[fence.slot];
  if (record !== undefined && slot?.epoch === fence.epoch && slot.owner !== '')
    return [{ type: 'check', key, expected: record.modRevision }];
  context.shards.observer.writeFenced(storage);
  throw shardFencedError(groupResourceOf(context.resource), name);
}

const NONE: readonly Guard[] = [];

function isMap({ info }: RequestContext, name: string, fence: ShardFence): boolean {
  return info.namespace === fence.namespace && name === fence.name;
}

interface KnownMap {
  readonly revision: Revision;
  readonly slots: readonly ShardSlot[] | undefined;
}

/** Maps of each store that were parsed: they change only when slots move, and are read with every fenced write. */
const knownIn = new WeakMap<Store, Map<string, KnownMap>>();
const MAX_KNOWN = 100;

/** A ConfigMap with more bytes is no map: any user may name any ConfigMap. */
const MAX_MAP_BYTES = 256 * 1024;

/** Reads a map that is not known in a turn that other long work does not share. */
function slotsOf({ store, clock, yielding }: RequestContext, record: StoreRecord): Eventual<KnownMap['slots']> {
  if (record.value.length > MAX_MAP_BYTES) return undefined;
  const known = knownIn.get(store) ?? new Map<string, KnownMap>();
  const found = known.get(record.key);
  if (found?.revision === record.modRevision) return found.slots;
  const read = (): KnownMap['slots'] => {
    const slots = readMap(decodeObject(record, 'ConfigMap'));
    if (known.size >= MAX_KNOWN) known.clear();
    knownIn.set(store, known.set(record.key, { revision: record.modRevision, slots }));
    return slots;
  };
  return SharedTurn.of(clock).run(read, yielding.ownTurn);
}

/** Returns `undefined` for other ConfigMaps. */
function readMap(map: KubernetesObject & { readonly data?: Readonly<Record<string, string>> }): KnownMap['slots'] {
  if (map.metadata.labels?.[SHARD_MAP_LABEL] === undefined) return undefined;
  return parseShardMap(map.data?.[SHARD_MAP_KEY] ?? '');
}
