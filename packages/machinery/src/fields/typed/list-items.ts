import type { JsonValue } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { type ElementId, goJson, keyedItemId, keyIdOfJson, valueId } from '../set/path-element.ts';
import type { ListView } from './type-view.ts';

/** Largest object that the store accepts. */
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;
/**
 * Most distinct items of a list: more would exceed the size of an object with their owners, at 6 bytes and 12 more for
 * most numbers.
 */
const MAX_ITEMS = 90_000;

/** Throws when an object with that many distinct items could not be stored with their owners. */
export function refuseTooMany(items: number): void {
  if (items > MAX_ITEMS) throw new FieldsError({ code: 'TooLarge', maxBytes: MAX_OBJECT_BYTES });
}

/** Why an item of a set or a map list has no identity. */
export interface UnidentifiedItem {
  readonly problem: string;
}

/** Returns the identity of an item in a list that is a set or a map. */
export function itemId(list: ListView, item: JsonValue): ElementId | UnidentifiedItem {
  return list.sharing === 'map' ? keyedId(list, item) : scalarId(item);
}

/** The occurrences of an item that is in a list more than once. */
export class Repeated {
  readonly items: JsonValue[];

  constructor(...items: JsonValue[]) {
    this.items = items;
  }
}

/**
 * Groups items by their identity; skips items without identity, or passes them to the callback if there is one. Throws
 * `FieldsError` where there are more than could be stored.
 */
export function groupItems(
  list: ListView,
  items: readonly JsonValue[],
  onNameless?: (item: UnidentifiedItem) => void,
): Map<ElementId, JsonValue | Repeated> {
  const groups = new Map<ElementId, JsonValue | Repeated>();
  for (const item of items) {
    const id = itemId(list, item);
    if (typeof id !== 'string') {
      onNameless?.(id);
      continue;
    }
    const known = groups.get(id);
    if (known === undefined) {
      groups.set(id, item);
      refuseTooMany(groups.size);
    } else if (known instanceof Repeated) known.items.push(item);
    else groups.set(id, new Repeated(known, item));
  }
  return groups;
}

function keyedId(list: ListView, item: JsonValue): ElementId | UnidentifiedItem {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (typeof item !== 'object' || Array.isArray(item)) {
    return { problem: 'associative list with keys may not have non-map elements' };
  }
  const [first] = list.sortedKeys;
  if (first !== undefined && list.sortedKeys.length === 1) {
    const value = Object.hasOwn(item, first.name) ? item[first.name] : undefined;
    if (typeof value === 'string') return keyedItemId(first.quoted, value);
  }
  let key = '';
  for (const { name, quoted, missing } of list.sortedKeys) {
    const own = Object.hasOwn(item, name) ? item[name] : undefined;
    const json = own === undefined ? missing : goJson(own);
    if (json !== undefined) key += `${key === '' ? '{' : ','}${quoted}:${json}`;
  }
  return key === '' ? { problem: lacksKeys(list.keys) } : keyIdOfJson(`${key}}`);
}

function lacksKeys(keys: readonly string[]): string {
  const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  return `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`;
}

function scalarId(item: JsonValue): ElementId | UnidentifiedItem {
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  if (typeof item !== 'object') return valueId(item);
  return Array.isArray(item)
    ? { problem: 'not supported: associative list with lists as elements' }
    : { problem: "associative list without keys has an element that's a map type" };
}
