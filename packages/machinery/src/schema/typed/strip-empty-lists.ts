import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';

/**
 * Sets to null, in place, the empty lists of an object that Go always prints and that are in no other list: the store
 * cannot distinguish an empty list of a built-in kind from a nil one, and returns it as nil. Returns a function that
 * undoes it.
 */
export type StripEmptyLists = (object: JsonObject) => () => void;

const compiled = new WeakMap<Schema, StripEmptyLists>();

/** Always the same for the same schema. Visits only the paths of such lists. */
export function compileStripEmptyLists(schema: Schema): StripEmptyLists {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const paths = pathsOf(schema, []);
  const strip: StripEmptyLists = (object) => {
    let undo = noop;
    for (const listPath of paths) undo = stripAt(object, listPath, undo);
    return undo;
  };
  compiled.set(schema, strip);
  return strip;
}

/** Returns the paths of the lists. Recursive types recurse through lists and maps, which are not entered. */
function pathsOf(schema: Schema, path: readonly string[]): (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const listPath = [...path, name];
    if (property.type === 'array') return property.zero === 'emit' ? [listPath] : [];
    return listPath.length < MAX_DEPTH ? pathsOf(property, listPath) : [];
  });
}

/** Greatest depth of such lists: selector terms in the pod template of a CronJob are about as deep. */
const MAX_DEPTH = 10;

function noop(): void {}

function stripAt(object: JsonObject, listPath: readonly string[], before: () => void): () => void {
  const last = listPath.length - 1;
  let holder: JsonValue | undefined = object;
  for (let i = 0; i < last && holder !== undefined; i++) {
    holder = isJsonObject(holder) ? holder[listPath[i]!] : undefined;
  }
  if (!isJsonObject(holder)) return before;
  const name = listPath[last]!;
  const list = holder[name];
  if (!Array.isArray(list) || list.length > 0) return before;
  holder[name] = null;
  const emptied = holder;
  return () => {
    before();
    emptied[name] = [];
  };
}
