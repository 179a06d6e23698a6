import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { ListView, MapView, TypeView } from './type-view.ts';

/** What stands at a place; absent and `null` are two things. */
export type Value = JsonValue | undefined;

/** How a value is treated at a place of that type: with the part of the view that says so. */
export type Treatment =
  | { readonly as: 'map'; readonly map: MapView }
  | { readonly as: 'list'; readonly list: ListView }
  | { readonly as: 'scalar' };

const asScalar: Treatment = { as: 'scalar' };
const mapTreatments = new WeakMap<MapView, Treatment>();
const listTreatments = new WeakMap<ListView, Treatment>();

/**
 * A value is treated as what it is where its type allows that, and as what its type would have where not: `null` is an
 * empty map or list, and a stray value is passed over by what it should have been.
 */
export function treatmentOf(value: Value, type: TypeView): Treatment {
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return asList(type.list);
    } else if (type.map !== undefined) return asMap(type.map);
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return asScalar;
  if (type.map !== undefined) return asMap(type.map);
  return type.scalar !== undefined || type.list === undefined ? asScalar : asList(type.list);
}

function asMap(map: MapView): Treatment {
  const known = mapTreatments.get(map);
  if (known !== undefined) return known;
  const made: Treatment = { as: 'map', map };
  mapTreatments.set(map, made);
  return made;
}

function asList(list: ListView): Treatment {
  const known = listTreatments.get(list);
  if (known !== undefined) return known;
  const made: Treatment = { as: 'list', list };
  listTreatments.set(list, made);
  return made;
}

export function mapIn(value: Value): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

export function listIn(value: Value): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Whether there is nothing in an object; a property that is `undefined` is none. */
export function isEmptyMap(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}
