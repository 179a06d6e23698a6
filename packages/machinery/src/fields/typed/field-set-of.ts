import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { emptySet, FieldSet, leaf } from '../set/field-set.ts';
import { type ElementId, fieldId } from '../set/path-element.ts';
import { isTyped, isTypedScalar } from './check-typed.ts';
import { groupItems, itemId, Repeated } from './list-items.ts';
import { fieldView, type ListView, type MapView, type TypeView, viewOf } from './type-view.ts';
import { isEmptyMap, listIn, mapIn, treatmentOf } from './values.ts';

/**
 * Returns the fields that a value sets, each down to where its schema is atomic. A field that contains fields is itself
 * a member only where its name is the author's choice: `.data.key` and list items are, `.spec` is not unless it is
 * empty. An item that is repeated is one field.
 */
export function fieldSetOf(value: JsonValue, schema: Schema | undefined): FieldSet {
  return readFields(value, schema).fields;
}

/** As `fieldSetOf`; also returns whether every part of the value sets a field: no empty list, no item without identity. */
export function readFields(
  value: JsonValue,
  schema: Schema | undefined,
): { readonly fields: FieldSet; readonly isComplete: boolean } {
  const reader = new FieldReader();
  const node = reader.value(value, viewOf(schema));
  return { fields: node.isMember ? FieldSet.node(false, node.below) : node, isComplete: reader.isComplete };
}

/**
 * Returns the fields of a configuration, made of the nodes of `like` wherever those are equal: a configuration that is
 * applied again sets the same fields, and nothing has to be allocated. `undefined` when `checkTyped` would report a
 * problem, which the same walk finds.
 */
export function fieldSetLike(
  value: JsonValue,
  schema: Schema | undefined,
  like: FieldSet | undefined,
): FieldSet | undefined {
  const reader = new ReusingFieldReader();
  const node = reader.value(value, viewOf(schema), like);
  if (!reader.isTyped) return undefined;
  return node.isMember ? FieldSet.node(false, node.below) : node;
}

class FieldReader {
  isComplete = true;

  value(value: JsonValue, type: TypeView): FieldSet {
    const treatment = treatmentOf(value, type);
    if (treatment.as === 'scalar') return leaf;
    if (treatment.as === 'map') return treatment.isAtomic ? leaf : this.#map(mapIn(value), treatment);
    return treatment.sharing === 'atomic' ? leaf : this.#list(listIn(value), treatment);
  }

  #map(value: JsonObject | undefined, map: MapView): FieldSet {
    if (value === undefined) return emptySet;
    const below = new Map<ElementId, FieldSet>();
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      const node = this.value(member, fieldView(map, name));
      const isOwned = node.isMember || !map.fields.has(name) || isVoid(member);
      const whole = isOwned ? FieldSet.node(true, node.below) : node;
      if (whole.isEmpty) this.isComplete = false;
      else below.set(fieldId(name), whole);
    }
    return FieldSet.node(false, below);
  }

  #list(items: readonly JsonValue[] | undefined, list: ListView): FieldSet {
    if (items === undefined) return emptySet;
    const below = new Map<ElementId, FieldSet>();
    const groups = groupItems(list, items);
    if (groups.size < items.length) this.isComplete = false;
    let last: FieldSet | undefined;
    for (const [id, item] of groups) {
      const inside = item instanceof Repeated ? undefined : this.value(item, list.item).below;
      last = FieldSet.node(true, inside).orSame(last);
      below.set(id, last);
    }
    return FieldSet.node(false, below);
  }
}

/** As the walk above, beside a set that is likely to be the result. */
class ReusingFieldReader {
  isTyped = true;
  /** Nodes of all levels that are being visited, one after the other; most are replaced by those of `like`. */
  readonly #ids: ElementId[] = [];
  readonly #nodes: FieldSet[] = [];
  /** Number of entries in use. */
  #count = 0;

  value(value: JsonValue, type: TypeView, like: FieldSet | undefined): FieldSet {
    const treatment = treatmentOf(value, type);
    if (treatment.as === 'scalar') {
      this.isTyped &&= isTypedScalar(value, type);
      return leaf;
    }
    const isAtomic = treatment.as === 'map' ? treatment.isAtomic : treatment.sharing === 'atomic';
    if (isAtomic) {
      this.isTyped &&= isTyped(value, type);
      return leaf;
    }
    return treatment.as === 'map' ? this.#map(value, treatment, like) : this.#list(value, treatment, like);
  }

  #map(value: JsonValue, map: MapView, like: FieldSet | undefined): FieldSet {
    const object = mapIn(value);
    if (object === undefined && value !== null) this.isTyped = false;
    const start = this.#count;
    for (const name in object) {
      const member = object[name];
      if (member === undefined) continue;
      const id = fieldId(name);
      const known = like?.below?.get(id);
      const named = map.fields.get(name);
      if (named === undefined && map.rest === undefined) this.isTyped = false;
      const node = this.value(member, named ?? fieldView(map, name), known);
      const isOwned = node.isMember || named === undefined || isVoid(member);
      this.#push(id, isOwned, node, known);
    }
    return this.#gather(start, like);
  }

  #list(value: JsonValue, list: ListView, like: FieldSet | undefined): FieldSet {
    const items = listIn(value);
    if (items === undefined && value !== null) this.isTyped = false;
    const start = this.#count;
    for (const item of items ?? []) {
      const id = itemId(list, item);
      if (typeof id !== 'string') {
        this.isTyped = false;
        continue;
      }
      // The items of a list mostly have the same fields.
      const known = like?.below?.get(id) ?? this.#nodes[this.#count - 1];
      this.#push(id, true, this.value(item, list.item, known), known);
    }
    if (new Set(this.#ids.slice(start, this.#count)).size < this.#count - start) this.isTyped = false;
    return this.#gather(start, like);
  }

  #push(id: ElementId, isMember: boolean, node: FieldSet, known: FieldSet | undefined): void {
    const isKnown = known !== undefined && known.isMember === isMember && known.below === node.below;
    const whole = isKnown ? known : FieldSet.node(isMember, node.below);
    if (whole.isEmpty) return;
    this.#ids[this.#count] = id;
    this.#nodes[this.#count++] = whole;
  }

  /** Makes a node over the entries since `start`, or returns the likely one if it is equal. */
  #gather(start: number, like: FieldSet | undefined): FieldSet {
    if (this.#count === start) return emptySet;
    const isLike = like?.below?.size === this.#count - start && this.#isAllIn(like.below, start);
    const below = isLike ? like.below : this.#entries(start);
    this.#count = start;
    if (isLike && !like.isMember) return like;
    return FieldSet.node(false, below);
  }

  #isAllIn(below: ReadonlyMap<ElementId, FieldSet>, start: number): boolean {
    for (let at = start; at < this.#count; at++) {
      if (below.get(this.#ids[at]!) !== this.#nodes[at]) return false;
    }
    return true;
  }

  #entries(start: number): Map<ElementId, FieldSet> {
    const below = new Map<ElementId, FieldSet>();
    for (let at = start; at < this.#count; at++) below.set(this.#ids[at]!, this.#nodes[at]!);
    return below;
  }
}

/** A list without items sets nothing; an object without fields, and `null`, set themselves. */
function isVoid(value: JsonValue): boolean {
  const map = mapIn(value);
  return value === null || (map !== undefined && isEmptyMap(map));
}
