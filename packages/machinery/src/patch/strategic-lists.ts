import { printPlain } from '../fields/go-print.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { PatchError } from './patch-error.ts';
import { cannotMerge, DIRECTIVE, unknownDirective, withoutDirectives } from './strategic-directives.ts';
import type { PatchField } from './strategic-schema.ts';

type List = readonly JsonValue[];

/** Merges a change into an object; how, the caller knows. */
export type MergeItem = (live: JsonObject, change: JsonObject, schema: Schema | undefined) => JsonObject;

export interface ListMergeOptions {
  readonly mergeItem: MergeItem;
  /** The scalars of the patch are to be taken out, not put in. */
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
  const named = new Set(change);
  if (deletes) return live.filter((item) => !named.has(item));
  return interleave(split([...new Set([...live, ...change])], named, items), change, live, items);
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
  const { rest, changes } = obeyDirectives(live, change, mergeKey);
  const merged = mergeItems(rest, changes, mergeKey, (item, by) => mergeItem(item, by, field.schema.items));
  items.requireKeys(merged);
  return interleave(split(merged, new Set(changes.map((item) => items.keyOf(item))), items), changes, rest, items);
}

/** Does what items with `$patch` say; gives what remains of the live list and of the patch. */
function obeyDirectives(
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

/** Stands for the key of an item that has none, which equals no key. */
const absent: JsonValue = {};

function keyOfItem(item: JsonObject, mergeKey: string): JsonValue {
  const key = ownKey(item, mergeKey);
  if (key === undefined) throw cannotMerge(`map: ${printPlain(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

function ownKey(item: JsonObject, mergeKey: string): JsonValue | undefined {
  return Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
}

/** Each changed item is merged into the first live one with its key, or comes at the end. */
function mergeItems(
  live: readonly JsonObject[],
  changes: readonly JsonObject[],
  mergeKey: string,
  merge: (live: JsonObject, change: JsonObject) => JsonObject,
): JsonObject[] {
  const merged = [...live];
  const places = new Map<JsonValue, number>();
  live.forEach((item, i) => {
    const key = ownKey(item, mergeKey);
    if (key !== undefined && !places.has(key)) places.set(key, i);
  });
  for (const item of changes) {
    const key = keyOfItem(item, mergeKey);
    const place = places.get(key);
    if (place !== undefined) merged[place] = merge(merged[place]!, item);
    else places.set(key, merged.push(item) - 1);
  }
  return merged;
}

/**
 * Merges a list whose order the patch gives. `undefined` when neither the document nor the patch has the list, so that
 * there is nothing to order.
 */
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
  const placed = placedByOrder(merged, order, field.mergeKey);
  const items = itemsOf(field, live ?? [], change ?? []);
  if (items.areObjects) items.requireKeys([...merged, ...order]);
  return interleave(placed, order, live ?? [], items);
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

/** What the patch changes must stand in the order, and in that order. */
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
  const received = typeof item === 'string' ? 'string' : Array.isArray(item) ? '[]interface {}' : typeof item;
  throw cannotMerge(`expected a map[string]interface {}, but received a ${received}`);
}

function placedByOrder(merged: List, order: List, mergeKey: string): Split {
  if (mergeKey === '') return split(merged, new Set(order), new Items('', false));
  const keys = new Set<JsonValue>();
  order.forEach((item, i) => {
    if (!isJsonObject(item)) throw cannotMerge(`value for key ${i} is not a map`);
    const key = ownKey(item, mergeKey);
    if (key !== undefined) keys.add(key);
  });
  const items = new Items(mergeKey, true);
  items.requireKeys(merged);
  return split(merged, keys, items);
}

interface Split {
  /** The items whose order is given. */
  readonly ordered: JsonValue[];
  /** The items that are the server's alone. */
  readonly others: JsonValue[];
}

function split(merged: List, keys: ReadonlySet<JsonValue | undefined>, items: Items): Split {
  const ordered: JsonValue[] = [];
  const others: JsonValue[] = [];
  for (const item of merged) (keys.has(items.keyOf(item)) ? ordered : others).push(item);
  return { ordered, others };
}

/**
 * One list of both: the ordered items in the order given, the others in the order of the live list. An item of the
 * others comes before an ordered one only where the live list has it so.
 */
function interleave({ ordered, others }: Split, order: List, live: List, items: Items): JsonValue[] {
  const placeInLive = items.places(live);
  const right = sortBy(ordered, items.places(order), items);
  const left = sortBy(others, placeInLive, items);
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of right) {
    const place = placeInLive.get(items.keyOf(item));
    while (next < left.length && place !== undefined) {
      const other = placeInLive.get(items.keyOf(left[next]!));
      if (other === undefined || other >= place) break;
      result.push(left[next++]!);
    }
    result.push(item);
  }
  return result.concat(left.slice(next));
}

function sortBy(list: JsonValue[], places: ReadonlyMap<JsonValue | undefined, number>, items: Items): JsonValue[] {
  const placed = list.map((item) => ({ item, place: places.get(items.keyOf(item)) ?? -1 }));
  // Items without a place come first, the last of them foremost.
  const unplaced = placed.filter(({ place }) => place < 0).reverse();
  const sorted = placed.filter(({ place }) => place >= 0).sort((left, right) => left.place - right.place);
  return [...unplaced, ...sorted].map(({ item }) => item);
}

/** What identifies the items of a list: their merge key, or they themselves. */
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

  /** Where each key first stands. */
  places(list: List): ReadonlyMap<JsonValue | undefined, number> {
    const places = new Map<JsonValue | undefined, number>();
    list.forEach((item, i) => {
      const key = this.keyOf(item);
      if (!places.has(key)) places.set(key, i);
    });
    return places;
  }

  requireKeys(list: List): void {
    for (const item of list) if (isJsonObject(item)) keyOfItem(item, this.mergeKey);
  }
}

/** Lists are merged only if all their items are of one kind, and that is not a list. */
function itemsOf(field: PatchField, live: List, change: List): Items {
  const kinds = new Set([...live, ...change].map(kindOf));
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
