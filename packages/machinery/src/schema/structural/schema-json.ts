import type { FieldPath } from '../../errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';

/** A schema as a definition has it, and its path. The model cannot hold what is not allowed, so checks read the JSON. */
export interface SchemaAtPath {
  readonly json: JsonObject;
  /** Made on demand, for errors. */
  readonly path: FieldPath;
}

/** Most errors that are reported of one schema; checks stop there. */
export const maxErrors = 2_000;

class Child implements SchemaAtPath {
  readonly json: JsonObject;
  readonly #parent: SchemaAtPath;
  readonly #keyword: string;
  readonly #step: string | number | undefined;

  constructor(json: JsonObject, parent: SchemaAtPath, keyword: string, step?: string | number) {
    this.json = json;
    this.#parent = parent;
    this.#keyword = keyword;
    this.#step = step;
  }

  get path(): FieldPath {
    const path = this.#parent.path.child(this.#keyword);
    if (this.#step === undefined) return path;
    return typeof this.#step === 'number' ? path.index(this.#step) : path.key(this.#step);
  }
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

/** True when a keyword is set and not zero: Go cannot distinguish an absent keyword from its zero value. */
export function isSet(json: JsonObject, keyword: string): boolean {
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

export function childAt(schema: SchemaAtPath, keyword: string): SchemaAtPath | undefined {
  const child = objectAt(schema.json, keyword);
  return child && new Child(child, schema, keyword);
}

/** Returns the schemas in a map of them, by name: `properties[spec]`. */
export function namedChildren(
  schema: SchemaAtPath,
  keyword: string,
): readonly (readonly [name: string, child: SchemaAtPath])[] {
  const named = objectAt(schema.json, keyword);
  if (named === undefined) return NONE;
  const children: [string, SchemaAtPath][] = [];
  for (const name of Object.keys(named)) {
    const child = named[name];
    if (isJsonObject(child)) children.push([name, new Child(child, schema, keyword, name)]);
  }
  return children;
}

/** Returns the schema of one name in a map of them. */
export function namedChild(schema: SchemaAtPath, keyword: string, name: string): SchemaAtPath | undefined {
  const named = objectAt(schema.json, keyword);
  const child = named && objectAt(named, name);
  return child && new Child(child, schema, keyword, name);
}

/** Returns the schemas in a list of them: `anyOf[0]`. */
export function listedChildren(schema: SchemaAtPath, keyword: string): readonly SchemaAtPath[] {
  const listed = getOwn(schema.json, keyword);
  if (!Array.isArray(listed)) return NONE;
  const children: SchemaAtPath[] = [];
  for (const [index, child] of listed.entries()) {
    if (isJsonObject(child)) children.push(new Child(child, schema, keyword, index));
  }
  return children;
}

const NONE: readonly never[] = [];
