import { deepEqual, type JsonValue, setOwn } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { ElementId } from '../set/path-element.ts';
import { itemId } from './list-items.ts';
import { fieldView, type ListView, type MapView, type TypeView, viewOf } from './type-view.ts';
import { isEmptyMap, listIn, mapIn, treatmentOf, type Value } from './values.ts';

/**
 * Applies a configuration to a live value: fields of the configuration replace those of the value, all others stay.
 * Nothing is removed. Neither value is changed; the result shares parts with both, and is the live value itself when
 * the configuration changes nothing.
 *
 * The items of sets and map lists follow the order of the configuration where it has them; the others keep their place
 * between them. An item that is repeated in the live list is replaced as a whole.
 */
export function mergeTyped(live: JsonValue, applied: JsonValue, schema: Schema | undefined): JsonValue {
  return merge(live, applied, viewOf(schema)) ?? null;
}

function merge(live: Value, applied: Value, type: TypeView): Value {
  if (applied === undefined || applied === live) return live;
  if (live === undefined) return applied;
  const treatment = treatmentOf(applied, type);
  if (treatment.as === 'map') return mergeMaps(live, applied, treatment);
  if (treatment.as === 'list') return mergeLists(live, applied, treatment);
  return applied;
}

function mergeMaps(live: JsonValue, applied: JsonValue, map: MapView): JsonValue {
  const old = mapIn(live) ?? {};
  const next = mapIn(applied) ?? {};
  if (map.isAtomic || (isEmptyMap(old) && isEmptyMap(next))) return deepEqual(live, applied) ? live : applied;
  let merged = old;
  for (const name in next) {
    const own = Object.hasOwn(old, name) ? old[name] : undefined;
    const member = merge(own, next[name], fieldView(map, name));
    if (member === own || member === undefined) continue;
    if (merged === old) merged = { ...old };
    setOwn(merged, name, member);
  }
  return merged;
}

function mergeLists(live: JsonValue, applied: JsonValue, list: ListView): JsonValue {
  const old = listIn(live) ?? [];
  const next = listIn(applied) ?? [];
  if (list.sharing === 'atomic' || (old.length === 0 && next.length === 0)) {
    return deepEqual(live, applied) ? live : applied;
  }
  if (hasSameItems(list, old, next)) return mergeEach(list, old, next);
  const merged = new ListMerge(list, identified(list, old), identified(list, next)).run();
  return merged.length === old.length && merged.every((item, i) => item === old[i]) ? old : merged;
}

/** True when both have the same items in the same order, each once: then no positions have to be found. */
function hasSameItems(list: ListView, old: readonly JsonValue[], next: readonly JsonValue[]): boolean {
  if (old.length !== next.length) return false;
  const ids = new Set<ElementId>();
  for (const [i, item] of next.entries()) {
    const id = itemId(list, item);
    if (typeof id !== 'string' || id !== itemId(list, old[i]!)) return false;
    ids.add(id);
  }
  return ids.size === next.length;
}

function mergeEach(list: ListView, old: JsonValue[], next: readonly JsonValue[]): JsonValue {
  let merged = old;
  for (const [i, item] of next.entries()) {
    const member = merge(old[i], item, list.item) ?? null;
    if (member === old[i]) continue;
    if (merged === old) merged = [...old];
    merged[i] = member;
  }
  return merged;
}

interface Item {
  readonly id: ElementId;
  readonly value: JsonValue;
}

function identified(list: ListView, items: readonly JsonValue[]): Item[] {
  const found: Item[] = [];
  for (const value of items) {
    const id = itemId(list, value);
    if (typeof id === 'string') found.push({ id, value });
  }
  return found;
}

/**
 * Merges two lists of items into one. Items that both have are *shared*; they follow the order of the configuration,
 * and live items before a shared one, or at the end, stay there:
 *
 *     live a b c d e   applied c a x   ──►   b c d e a x
 *     live a b c d e   applied x b y   ──►   a x b c d e y
 */
class ListMerge {
  readonly #list: ListView;
  readonly #live: readonly Item[];
  readonly #applied: readonly Item[];
  /** The live value of each item; `null` for an item that is repeated. */
  readonly #liveValues = new Map<ElementId, JsonValue>();
  readonly #appliedIds: ReadonlySet<ElementId>;
  /** Shared items in the order of the configuration. */
  readonly #shared: readonly ElementId[];
  #sharedPlaced = 0;
  readonly #merged: JsonValue[] = [];

  constructor(list: ListView, live: readonly Item[], applied: readonly Item[]) {
    this.#list = list;
    this.#live = live;
    this.#applied = applied;
    for (const { id, value } of live) this.#liveValues.set(id, this.#liveValues.has(id) ? null : value);
    this.#appliedIds = new Set(applied.map(({ id }) => id));
    this.#shared = applied.filter(({ id }) => this.#liveValues.has(id)).map(({ id }) => id);
  }

  run(): JsonValue[] {
    let at = 0;
    for (const item of this.#applied) {
      at = this.#keepUpTo(item.id, at);
      this.#place(item);
    }
    this.#keepUpTo(undefined, at);
    return this.#merged;
  }

  /** Keeps live items until the one before which `next` must be placed; returns where the live list continues. */
  #keepUpTo(next: ElementId | undefined, from: number): number {
    let at = from;
    for (; at < this.#live.length; at++) {
      const { id, value } = this.#live[at]!;
      if (!this.#appliedIds.has(id)) this.#merged.push(value);
      else if (next !== undefined && (id === next || this.#isDue(id))) return id === next ? at + 1 : at;
      // All shared items are placed: the next item of the configuration is new, and comes here.
      else if (next !== undefined && this.#sharedPlaced === this.#shared.length) return at + 1;
    }
    return at;
  }

  /** True when the shared item is the next to be placed. The others are placed when the configuration reaches them. */
  #isDue(id: ElementId): boolean {
    return this.#shared[this.#sharedPlaced] === id;
  }

  #place({ id, value }: Item): void {
    const isShared = this.#liveValues.has(id);
    if (isShared) this.#sharedPlaced++;
    const merged = isShared ? merge(this.#liveValues.get(id), value, this.#list.item) : value;
    this.#merged.push(merged ?? null);
  }
}
