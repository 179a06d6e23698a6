import type { JsonObject, JsonValue } from '../../json/index.ts';
import type { ListView, MapView, TypeView } from './type-view.ts';

/** A value of a field; absent and `null` differ. */
export type Value = JsonValue | undefined;

/** Part of a view that a value is handled by, chosen by its kind. */
export type Treatment = MapView | ListView | { readonly as: 'scalar' };

const asScalar: Treatment = { as: 'scalar' };

/**
 * Handles a value by its own kind where its type allows that, and by the kind of its type otherwise: `null` is an empty
 * map or list, and a value of another kind is skipped.
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

/** True for an object without members; a property that is `undefined` counts as absent. */
export function isEmptyMap(map: JsonObject): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}
