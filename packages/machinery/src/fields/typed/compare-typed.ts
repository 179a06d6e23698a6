import { deepEqual, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldsError } from '../fields-error.ts';
import { emptySet, FieldSet, leaf } from '../set/field-set.ts';
import { type ElementId, fieldId } from '../set/path-element.ts';
import { groupItems, Repeated, type UnidentifiedItem } from './list-items.ts';
import { fieldView, type ListView, type MapView, type TypeView, viewOf } from './type-view.ts';
import { isEmptyMap, listIn, mapIn, type Treatment, treatmentOf, type Value } from './values.ts';

/** The changes between two values. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two values of one type. Unlike in `fieldSetOf`, everything that was added or removed is a member, also
 * `.spec`. Throws FieldsError where a changed list has items without identity, which cannot be compared.
 */
export function compareTyped(before: JsonValue, after: JsonValue, schema: Schema | undefined): Comparison {
  const change = compare(before, after, viewOf(schema));
  if (change === undefined) return same;
  return { added: rooted(change.added), modified: rooted(change.modified), removed: rooted(change.removed) };
}

const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

function rooted(node: FieldSet | undefined): FieldSet {
  return node === undefined ? emptySet : FieldSet.node(false, node.below);
}

/** The nodes of one path in the three sets; absent where a set has no member there. */
class Change {
  readonly added: FieldSet | undefined;
  readonly modified: FieldSet | undefined;
  readonly removed: FieldSet | undefined;

  constructor(added: FieldSet | undefined, modified: FieldSet | undefined, removed: FieldSet | undefined) {
    this.added = added;
    this.modified = modified;
    this.removed = removed;
  }

  /** Returns this change, or the other one if they are equal: the items of a list often change alike. */
  orSame(other: Change | undefined): Change {
    if (other === undefined) return this;
    const isSame =
      isEqual(this.added, other.added) &&
      isEqual(this.modified, other.modified) &&
      isEqual(this.removed, other.removed);
    return isSame ? other : this;
  }
}

function isEqual(left: FieldSet | undefined, right: FieldSet | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && left.equals(right));
}

const added = new Change(leaf, undefined, undefined);
const modified = new Change(undefined, leaf, undefined);
const removed = new Change(undefined, undefined, leaf);

function compare(before: Value, after: Value, type: TypeView): Change | undefined {
  if (before === after) return undefined;
  if (before === undefined) return compareAs(treatmentOf(after, type), before, after);
  const old = treatmentOf(before, type);
  if (after === undefined) return compareAs(old, before, after);
  const next = treatmentOf(after, type);
  if (old === next) return compareAs(next, before, after);
  return both(compareAs(old, before, after), compareAs(next, before, after));
}

function compareAs(treatment: Treatment, before: Value, after: Value): Change | undefined {
  if (treatment.as === 'map') return compareMaps(before, after, treatment);
  if (treatment.as === 'list') return compareLists(before, after, treatment);
  return compareLeaf(before, after);
}

function compareLeaf(before: Value, after: Value): Change | undefined {
  if (before === undefined) return added;
  if (after === undefined) return removed;
  return deepEqual(before, after) ? undefined : modified;
}

function compareMaps(before: Value, after: Value, map: MapView): Change | undefined {
  const old = mapIn(before);
  const next = mapIn(after);
  if (map.isAtomic || (isVoid(old) && isVoid(next))) return compareLeaf(before, after);
  const changes = new Changes();
  for (const name in next) {
    const member = next[name];
    if (member === undefined) continue;
    changes.add(fieldId(name), compare(ownMember(old, name), member, fieldView(map, name)));
  }
  for (const name in old) {
    const member = old[name];
    if (member === undefined || ownMember(next, name) !== undefined) continue;
    changes.add(fieldId(name), compare(member, undefined, fieldView(map, name)));
  }
  return changes.finish(before, after);
}

function compareLists(before: Value, after: Value, list: ListView): Change | undefined {
  const old = listIn(before) ?? [];
  const next = listIn(after) ?? [];
  if (list.sharing === 'atomic' || (old.length === 0 && next.length === 0)) return compareLeaf(before, after);
  const changes = new Changes();
  // Most updates leave most lists unchanged, and equality is cheaper than identities.
  if (!deepEqual(old, next)) {
    compareItems(groupItems(list, old, refuseUnidentified), groupItems(list, next, refuseUnidentified), list, changes);
  }
  return changes.finish(before, after);
}

function refuseUnidentified({ problem }: UnidentifiedItem): never {
  throw new FieldsError({ code: 'NotTyped', problems: [{ path: '', problem }] });
}

type Group = JsonValue | Repeated | undefined;
type Groups = ReadonlyMap<ElementId, JsonValue | Repeated>;

function compareItems(old: Groups, next: Groups, list: ListView, changes: Changes): void {
  let last: Change | undefined;
  for (const [id, item] of next) {
    const change = compareGroups(old.get(id), item, list)?.orSame(last);
    changes.add(id, change);
    last = change ?? last;
  }
  for (const [id, item] of old) {
    if (next.has(id)) continue;
    last = compareGroups(item, undefined, list)?.orSame(last);
    changes.add(id, last);
  }
}

/** An item that is repeated is one field, changed when any of its occurrences is. */
function compareGroups(old: Group, next: Group, list: ListView): Change | undefined {
  if (!(old instanceof Repeated)) {
    if (!(next instanceof Repeated)) return compare(old, next, list.item);
    return both(added, old === undefined ? undefined : compare(old, undefined, list.item));
  }
  if (next instanceof Repeated) return deepEqual(old.items, next.items) ? undefined : modified;
  return both(removed, next === undefined ? undefined : compare(undefined, next, list.item));
}

function ownMember(object: JsonObject | undefined, name: string): Value {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

function isVoid(map: JsonObject | undefined): boolean {
  return map === undefined || isEmptyMap(map);
}

function both(left: Change | undefined, right: Change | undefined): Change | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return new Change(
    either(left.added, right.added),
    either(left.modified, right.modified),
    either(left.removed, right.removed),
  );
}

function either(left: FieldSet | undefined, right: FieldSet | undefined): FieldSet | undefined {
  return left === undefined || right === undefined ? (left ?? right) : left.union(right);
}

/** Collects the changes inside one value. */
class Changes {
  #added: Map<ElementId, FieldSet> | undefined;
  #modified: Map<ElementId, FieldSet> | undefined;
  #removed: Map<ElementId, FieldSet> | undefined;

  add(id: ElementId, change: Change | undefined): void {
    if (change === undefined) return;
    if (change.added !== undefined) {
      this.#added ??= new Map();
      this.#added.set(id, change.added);
    }
    if (change.modified !== undefined) {
      this.#modified ??= new Map();
      this.#modified.set(id, change.modified);
    }
    if (change.removed !== undefined) {
      this.#removed ??= new Map();
      this.#removed.set(id, change.removed);
    }
  }

  /** The value itself is a member where it was added or removed as a whole. */
  finish(before: Value, after: Value): Change | undefined {
    const came = before === undefined;
    const went = after === undefined;
    if (!came && !went && !this.#added && !this.#modified && !this.#removed) return undefined;
    return new Change(
      came || this.#added ? FieldSet.node(came, this.#added) : undefined,
      this.#modified && FieldSet.node(false, this.#modified),
      went || this.#removed ? FieldSet.node(went, this.#removed) : undefined,
    );
  }
}
