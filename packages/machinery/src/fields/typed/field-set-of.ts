import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { emptySet, FieldSet, leaf } from '../set/field-set.ts';
import { type ElementId, fieldId } from '../set/path-element.ts';
import { groupItems, Repeated } from './list-items.ts';
import { fieldView, type ListView, type MapView, type TypeView, viewOf } from './type-view.ts';
import { isEmptyMap, listIn, mapIn, treatmentOf } from './values.ts';

/**
 * The fields a value sets, each down to where its schema stops dividing it. A field with fields in it is a member itself
 * only where its name is the author's choice: `.data.key` and list items are, `.spec` is not unless it is empty.
 * An item that occurs more than once is one field.
 */
export function fieldSetOf(value: JsonValue, schema: Schema | undefined): FieldSet {
  return readFields(value, schema).fields;
}

/** The same, and whether there is nothing in the value that sets no field: no empty list, no item without identity. */
export function readFields(
  value: JsonValue,
  schema: Schema | undefined,
): { readonly fields: FieldSet; readonly isComplete: boolean } {
  const reading = new Reading();
  const node = reading.value(value, viewOf(schema));
  return { fields: node.isMember ? FieldSet.node(false, node.below) : node, isComplete: reading.isComplete };
}

class Reading {
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

/** A list without items sets nothing; an object without fields, and `null`, set themselves. */
function isVoid(value: JsonValue): boolean {
  const map = mapIn(value);
  return value === null || (map !== undefined && isEmptyMap(map));
}
