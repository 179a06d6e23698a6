import { printPlain } from '../fields/go-print.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { PatchError } from './patch-error.ts';
import { cannotMerge, DIRECTIVE, receivedType, unknownDirective, withoutDirectives } from './strategic-directives.ts';
import type { PatchField } from './strategic-schema.ts';

type List = readonly JsonValue[];

/** Merges a change into an object. */
type MergeItem = (live: JsonObject, change: JsonObject, schema: Schema | undefined) => JsonObject;

interface ListMergeOptions {
  readonly mergeItem: MergeItem;
  /** The scalars of the patch are deleted instead of added. */
  readonly deletes?: boolean;
}

/** Merges a list of a patch into the live one, or deletes its items from there. */
export function mergeLists(
  live: List,
  change: List,
  field: PatchField,
  { deletes = false, mergeItem }: ListMergeOptions,
): JsonValue[] {
  if (live.length === 0 && change.length === 0) return [];
  const items = itemsOf(field, live, change);
  if (items.areObjects) return mergeObjectLists(live as JsonObject[], change as JsonObject[], field, mergeItem);
  if (deletes) {
    const named = new Set(change);
    return live.filter((item) => !named.has(item));
  }
  return interleave({ merged: [...new Set(live.concat(change))], order: change, live, items });
}

function mergeObjectLists(
  live: readonly JsonObject[],
  change: readonly JsonObject[],
  field: PatchField,
  mergeItem: MergeItem,
): JsonValue[] {
  const { mergeKey } = field;
  if (mergeKey === '') throw cannotMerge('cannot merge lists without merge key for struct');
  const items = new Items(mergeKey, true);
  const { rest, changes } = applyDirectives(live, change, mergeKey);
  const merged = mergeItems(rest, changes, mergeKey, (item, by) => mergeItem(item, by, field.schema.items));
  items.requireKeys(merged);
  return interleave({ merged, order: changes, live: rest, items });
}

/** Applies the directives of items with `$patch`; returns the rest of the live list and of the patch. */
function applyDirectives(
  live: readonly JsonObject[],
  change: readonly JsonObject[],
  mergeKey: string,
): { rest: readonly JsonObject[]; changes: readonly JsonObject[] } {
  const changes: JsonObject[] = [];
  const deleted = new Set<JsonValue | undefined>();
  let replaces = false;
  for (const item of change) {
    if (!Object.hasOwn(item, DIRECTIVE)) changes.push(item);
    else if (item[DIRECTIVE] === 'delete') deleted.add(keyOfItem(item, mergeKey));
    else if (item[DIRECTIVE] === 'replace') replaces = true;
    else if (item[DIRECTIVE] === 'merge') throw cannotMerge('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(item[DIRECTIVE], item);
  }
  if (replaces) return { rest: changes, changes: [] };
  const rest = deleted.size === 0 ? live : live.filter((item) => !deleted.has(ownKey(item, mergeKey) ?? absent));
  return { rest, changes };
}

/** The key of an item without one, which equals no key. */
const absent: JsonValue = {};

function keyOfItem(item: JsonObject, mergeKey: string): JsonValue {
  const key = ownKey(item, mergeKey);
  if (key === undefined) throw cannotMerge(`map: ${printPlain(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

function ownKey(item: JsonObject, mergeKey: string): JsonValue | undefined {
  return Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
}

/** Merges each changed item into the first live one with its key, or appends it. */
function mergeItems(
  live: readonly JsonObject[],
  changes: readonly JsonObject[],
  mergeKey: string,
  merge: (live: JsonObject, change: JsonObject) => JsonObject,
): JsonObject[] {
  const merged = [...live];
  const positions = new Map<JsonValue, number>();
  live.forEach((item, i) => {
    const key = ownKey(item, mergeKey);
    if (key !== undefined && !positions.has(key)) positions.set(key, i);
  });
  for (const item of changes) {
    const key = keyOfItem(item, mergeKey);
    const position = positions.get(key);
    if (position !== undefined) merged[position] = merge(merged[position]!, item);
    else positions.set(key, merged.push(item) - 1);
  }
  return merged;
}

/** Merges a list whose order the patch specifies. `undefined` when neither the document nor the patch has the list. */
export function orderByDirective(request: {
  readonly live: List | undefined;
  readonly change: List | undefined;
  readonly order: List;
  readonly field: PatchField;
  readonly mergeItem: MergeItem;
}): JsonValue[] | undefined {
  const { live, change, order, field } = request;
  checkOrder(change ?? [], order, field.mergeKey);
  const merged = mergedBeforeOrdering(request);
  if (merged === undefined) return undefined;
  if (field.mergeKey !== '') requireObjectsBeforeMatch(merged, order, field.mergeKey);
  const items = itemsOf(field, live ?? [], change ?? []);
  if (items.areObjects) items.requireKeys([...merged, ...order, ...(live ?? [])]);
  return interleave({ merged, order, live: live ?? [], items });
}

function mergedBeforeOrdering({
  live,
  change,
  field,
  mergeItem,
}: Parameters<typeof orderByDirective>[0]): List | undefined {
  if (change === undefined) return live;
  if (live === undefined) return withoutDirectives([...change]) as JsonValue[];
  return field.strategy === 'merge' ? mergeLists(live, change, field, { mergeItem }) : change;
}

/** Changed items must be in the order that the patch specifies. */
function checkOrder(change: List, order: List, mergeKey: string): void {
  if (order.length === 0 || change.length === 0) return;
  const key = (item: JsonValue): JsonValue => (mergeKey === '' ? item : keyOfItem(asObject(item), mergeKey));
  const changed = change.filter((item) => mergeKey === '' || asObject(item)[DIRECTIVE] !== 'delete');
  let next = 0;
  let at = 0;
  while (next < changed.length && at < order.length) {
    const item = changed[next]!;
    if (isJsonObject(item) && Object.hasOwn(item, DIRECTIVE)) next++;
    else if (key(item) === key(order[at++]!)) next++;
  }
  if (next === changed.length) return;
  throw cannotMerge(
    `The order in patch list:\n${printPlain([...change])}\n doesn't match $setElementOrder list:\n${printPlain([...order])}\n`,
  );
}

function asObject(item: JsonValue): JsonObject {
  if (isJsonObject(item)) return item;
  throw cannotMerge(`expected a map[string]interface {}, but received a ${receivedType(item)}`);
}

/** Searches the order for each item, from its beginning: entries before a match must be objects. */
function requireObjectsBeforeMatch(merged: List, order: List, mergeKey: string): void {
  const other = order.findIndex((item) => !isJsonObject(item));
  const objects = (other === -1 ? order : order.slice(0, other)).filter(isJsonObject);
  const found = new Set(objects.map((item) => ownKey(item, mergeKey)));
  for (const item of merged) {
    const key = keyOfItem(asObject(item), mergeKey);
    if (other !== -1 && !found.has(key)) throw cannotMerge(`value for key ${other} is not a map`);
  }
}

/** A merged list, and the lists that decide its order. */
interface Merged {
  readonly merged: List;
  /** The order of the items that it names. */
  readonly order: List;
  /** The order of the others, and their position among those. */
  readonly live: List;
  readonly items: Items;
}

/**
 * Sorts the merged items: those whose order is specified in that order, the others in the order of the live list. One
 * of the others comes before one of the ordered only where the live list has it so.
 *
 * Every key is looked up once and replaced by a number: lists may have hundreds of thousands of items.
 */
function interleave({ merged, order, live, items }: Merged): JsonValue[] {
  const numbers = new Numbers(items);
  const positionInOrder = positionsOf(numbers.of(order));
  const positionInLive = positionsOf(numbers.of(live));
  const key = numbers.of(merged);
  const ordered: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < key.length; i++) (positionInOrder[key[i]!]! > 0 ? ordered : others).push(i);
  const positionOf = (position: Int32Array, i: number): number => position[key[i]!] ?? 0;
  const right = sortBy(ordered, (i) => positionOf(positionInOrder, i));
  const left = sortBy(others, (i) => positionOf(positionInLive, i));
  const result: JsonValue[] = [];
  let next = 0;
  for (const i of right) {
    const position = positionOf(positionInLive, i);
    for (; next < left.length; next++) {
      const other = positionOf(positionInLive, left[next]!);
      if (other === 0 || other >= position) break;
      result.push(merged[left[next]!]!);
    }
    result.push(merged[i]!);
  }
  for (; next < left.length; next++) result.push(merged[left[next]!]!);
  return result;
}

/** Assigns numbers to keys, equal ones to equal keys. */
class Numbers {
  readonly #items: Items;
  readonly #numbers = new Map<JsonValue | undefined, number>();

  constructor(items: Items) {
    this.#items = items;
  }

  of(list: List): Int32Array {
    const numbers = new Int32Array(list.length);
    for (let i = 0; i < list.length; i++) {
      const key = this.#items.keyOf(list[i]!);
      const known = this.#numbers.get(key);
      numbers[i] = known ?? this.#numbers.size;
      if (known === undefined) this.#numbers.set(key, this.#numbers.size);
    }
    return numbers;
  }
}

/** Returns the first position of each key, counted from 1; 0 or `undefined` for keys that are absent. */
function positionsOf(numbers: Int32Array): Int32Array {
  const positions = new Int32Array(numbers.reduce((max, number) => Math.max(max, number), -1) + 1);
  for (let i = numbers.length - 1; i >= 0; i--) positions[numbers[i]!] = i + 1;
  return positions;
}

/** Sorts by position, and keeps the order of equal positions. Items without a position end up where Go's sort puts them. */
function sortBy(list: number[], positionOf: (item: number) => number): number[] {
  const positions = Int32Array.from(list, positionOf);
  if (isAscending(positions)) return list;
  if (list.length <= GO_INSERTS) return insertedByPosition(list, positionOf);
  const unplaced = list.filter((_, i) => positions[i] === 0).reverse();
  const ranks = Float64Array.from(positions, (position, i) => position * list.length + i).sort();
  return unplaced.concat(Array.from(ranks.subarray(unplaced.length), (rank) => list[rank % list.length]!));
}

/** Longest list that Go sorts by insertion. */
const GO_INSERTS = 20;

/** Kubernetes' comparison is true both ways for an item without a position and its neighbour, so that the two swap. */
function insertedByPosition(list: readonly number[], positionOf: (item: number) => number): number[] {
  const sorted: number[] = [];
  for (const item of list) {
    const position = positionOf(item);
    let at = sorted.length;
    while (at > 0) {
      const other = positionOf(sorted[at - 1]!);
      if (position > 0 && other > 0 && position >= other) break;
      at--;
    }
    sorted.splice(at, 0, item);
  }
  return sorted;
}

/** True when all items have a position, in ascending order. */
function isAscending(positions: Int32Array): boolean {
  let last = 1;
  for (const position of positions) {
    if (position < last) return false;
    last = position;
  }
  return true;
}

/** Identifies the items of a list: by their merge key, or by their value. */
class Items {
  readonly mergeKey: string;
  readonly areObjects: boolean;

  constructor(mergeKey: string, areObjects: boolean) {
    this.mergeKey = mergeKey;
    this.areObjects = areObjects;
  }

  keyOf(item: JsonValue): JsonValue | undefined {
    return this.areObjects && isJsonObject(item) ? ownKey(item, this.mergeKey) : item;
  }

  requireKeys(list: List): void {
    for (const item of list) keyOfItem(asObject(item), this.mergeKey);
  }
}

/** Lists are merged only if all items are of one kind, which must not be a list. */
function itemsOf(field: PatchField, live: List, change: List): Items {
  const kinds = new Set<string>();
  for (const item of live) kinds.add(kindOf(item));
  for (const item of change) kinds.add(kindOf(item));
  if (kinds.size === 0) throw cannotMerge('no elements in any of the given slices');
  if (kinds.size > 1) {
    throw cannotMerge(`list element types are not identical: ${printPlain([[...live], [...change]])}`);
  }
  if (kinds.has('list')) {
    throw new PatchError({ code: 'Unsupported', problem: 'lists of lists are not supported' });
  }
  return new Items(field.mergeKey, kinds.has('object'));
}

function kindOf(item: JsonValue): string {
  if (Array.isArray(item)) return 'list';
  if (item === null) return 'null';
  return typeof item === 'bigint' ? 'number' : typeof item;
}
