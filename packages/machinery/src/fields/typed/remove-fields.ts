import { type JsonObject, type JsonValue, setOwn } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import type { FieldSet } from '../set/field-set.ts';
import { fieldId } from '../set/path-element.ts';
import { itemId } from './list-items.ts';
import { fieldView, type ListView, type MapView, type TypeView, viewOf } from './type-view.ts';
import { listIn, mapIn, treatmentOf } from './values.ts';

/**
 * Returns the value without the fields of the set and their contents. A field all of whose contents are removed becomes
 * `null`, unless it is in the set itself. The value is not changed, and shared as far as possible.
 */
export function removeFields(value: JsonValue, fields: FieldSet, schema: Schema | undefined): JsonValue {
  return fields.below === undefined ? value : without(value, fields, viewOf(schema));
}

function without(value: JsonValue, fields: FieldSet, type: TypeView): JsonValue {
  const treatment = treatmentOf(value, type);
  if (treatment.as === 'scalar') return value;
  if (treatment.as === 'map') return treatment.isAtomic ? null : mapWithout(mapIn(value), fields, treatment);
  return treatment.sharing === 'atomic' ? null : listWithout(listIn(value), fields, treatment);
}

function mapWithout(value: JsonObject | undefined, fields: FieldSet, map: MapView): JsonValue {
  const rest: JsonObject = {};
  let isEmpty = true;
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const inside = fields.child(fieldId(name));
    if (inside?.isMember) continue;
    isEmpty = false;
    const type = fieldView(map, name);
    setOwn(rest, name, inside === undefined ? member : without(member, inside, type));
  }
  return isEmpty ? null : rest;
}

function listWithout(items: readonly JsonValue[] | undefined, fields: FieldSet, list: ListView): JsonValue {
  const rest: JsonValue[] = [];
  for (const item of items ?? []) {
    const id = itemId(list, item);
    const inside = typeof id === 'string' ? fields.child(id) : undefined;
    if (inside?.isMember) continue;
    rest.push(inside === undefined ? item : without(item, inside, list.item));
  }
  return rest.length === 0 ? null : rest;
}
