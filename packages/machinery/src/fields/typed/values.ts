import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { ListView, MapView, TypeView } from './type-view.ts';

/** What stands at a place; absent and `null` are two things. */
export type Value = JsonValue | undefined;

/** How a value is treated at a place: by the part of the view that speaks of its kind. */
export type Treatment = MapView | ListView | { readonly as: 'scalar' };

const asScalar: Treatment = { as: 'scalar' };

/**
 * A value is treated as what it is where its type allows that, and as what its type would have where not: `null` is an
 * empty map or list, and a stray value is passed over by what it should have been.
 */
export function treatmentOf(value: Value, type: TypeView): Treatment {
  if (typeof value === 'object' && value !== null) {
    const own = Array.isArray(value) ? type.list : type.map;
    if (own !== undefined) return own;
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return asScalar;
  return type.map ?? (type.scalar === undefined ? (type.list ?? asScalar) : asScalar);
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
