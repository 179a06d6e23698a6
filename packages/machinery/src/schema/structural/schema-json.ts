import type { FieldPath } from '../../errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';

/** A schema as a definition carries it, and where. The model cannot hold what is not allowed, so rules look at this. */
export interface PlacedSchema {
  readonly json: JsonObject;
  readonly path: FieldPath;
}

export function textAt(json: JsonObject, keyword: string): string {
  const value = getOwn(json, keyword);
  return typeof value === 'string' ? value : '';
}

export function flagAt(json: JsonObject, keyword: string): boolean {
  return getOwn(json, keyword) === true;
}

export function listAt(json: JsonObject, keyword: string): readonly JsonValue[] {
  const value = getOwn(json, keyword);
  return Array.isArray(value) ? value : [];
}

export function textsAt(json: JsonObject, keyword: string): readonly string[] {
  return listAt(json, keyword).filter((value) => typeof value === 'string');
}

/** Whether a keyword is there and says something: Go cannot tell an absent one from its zero value. */
export function says(json: JsonObject, keyword: string): boolean {
  const value = getOwn(json, keyword);
  if (value === undefined || value === null || value === false || value === '' || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

export function hasDefault(json: JsonObject): boolean {
  return (getOwn(json, 'default') ?? null) !== null;
}

export function objectAt(json: JsonObject, keyword: string): JsonObject | undefined {
  const value = getOwn(json, keyword);
  return isJsonObject(value) ? value : undefined;
}

export function childAt({ json, path }: PlacedSchema, keyword: string): PlacedSchema | undefined {
  const child = objectAt(json, keyword);
  return child && { json: child, path: path.child(keyword) };
}

/** The schemas in a map of them, by name: `properties[spec]`. */
export function namedChildren(
  { json, path }: PlacedSchema,
  keyword: string,
): readonly (readonly [string, PlacedSchema])[] {
  return Object.entries(objectAt(json, keyword) ?? {}).flatMap(([name, child]) =>
    isJsonObject(child) ? [[name, { json: child, path: path.child(keyword).key(name) }] as const] : [],
  );
}

/** The schemas in a list of them: `anyOf[0]`. */
export function listedChildren({ json, path }: PlacedSchema, keyword: string): readonly PlacedSchema[] {
  return listAt(json, keyword).flatMap((child, index) =>
    isJsonObject(child) ? [{ json: child, path: path.child(keyword).index(index) }] : [],
  );
}

/** Every schema directly inside one, wherever it stands. */
export function childrenOf(schema: PlacedSchema): readonly PlacedSchema[] {
  const single = ['additionalProperties', 'items', 'not'].map((keyword) => childAt(schema, keyword));
  return [
    ...single.filter((child) => child !== undefined),
    ...namedChildren(schema, 'properties').map(([, child]) => child),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listedChildren(schema, keyword)),
  ];
}
