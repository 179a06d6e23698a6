import { parseShardMap, SHARD_MAP_KEY, SHARD_MAP_LABEL, type ShardSlot } from '@pintle/machinery/selectors';
import { type KubeObject, record } from '../api/objects.ts';

/** Counts of the slots of a replica. */
export interface ShardOwner {
  readonly name: string;
  readonly slots: number;
  /** Slots that move to it. */
  readonly arriving: number;
  /** Slots that move from it. */
  readonly leaving: number;
}

export interface ShardCell {
  /** Place of the owner in the list; -1: none. */
  readonly owner: number;
  readonly words: string;
  readonly isMoving: boolean;
}

/** Shard map of an operator, for people. */
export interface Shards {
  readonly name: string;
  readonly owners: readonly ShardOwner[];
  readonly unowned: number;
  readonly moving: number;
  /** By slot. */
  readonly cells: readonly ShardCell[];
}

/** Returns `undefined` for an object that is no shard map, or a damaged one. */
export function shardsOf(object: KubeObject): Shards | undefined {
  const text = record(object.data)?.[SHARD_MAP_KEY];
  const name = object.metadata.labels?.[SHARD_MAP_LABEL];
  const slots = typeof text === 'string' && name !== undefined ? parseShardMap(text) : undefined;
  if (slots === undefined || name === undefined) return undefined;
  const names = [...new Set(slots.flatMap(({ owner, target }) => [owner, target]))].filter(Boolean).sort();
  const places = new Map(names.map((owner, place) => [owner, place]));
  const countOf = (isCounted: (slot: ShardSlot) => boolean): number => slots.filter(isCounted).length;
  return {
    name,
    owners: names.map((each) => ({
      name: each,
      slots: countOf(({ owner }) => owner === each),
      arriving: countOf(({ target }) => target === each),
      leaving: countOf(({ owner, target }) => owner === each && target !== ''),
    })),
    unowned: countOf(({ owner }) => owner === ''),
    moving: countOf(({ target }) => target !== ''),
    cells: slots.map(({ owner, epoch, target, isDraining }, slot) => {
      const move = target === '' ? '' : isDraining ? `, hands over to ${target}` : `, moves to ${target}`;
      const words = `${slot}: ${owner === '' ? 'no owner' : owner}${move}, epoch ${epoch}`;
      return { owner: places.get(owner) ?? -1, words, isMoving: target !== '' };
    }),
  };
}
