import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../schema.ts';

/**
 * Sets to null, in place, the empty lists of an object that Go always prints and that are in no other list: the store
 * cannot distinguish an empty list of a built-in kind from a nil one, and returns it as nil. Returns a function that
 * undoes it.
 */
export type ForgetEmptyLists = (object: JsonObject) => () => void;

const forgetters = new WeakMap<Schema, ForgetEmptyLists>();

/** Always the same for the same schema. Visits only the paths of such lists. */
export function compileForgetEmptyLists(schema: Schema): ForgetEmptyLists {
  const known = forgetters.get(schema);
  if (known !== undefined) return known;
  const places = placesOf(schema, []);
  const forget: ForgetEmptyLists = (object) => {
    let undo = nothing;
    for (const place of places) undo = forgetAt(object, place, undo);
    return undo;
  };
  forgetters.set(schema, forget);
  return forget;
}

/** Returns the paths of the lists. Recursive types recurse through lists and maps, which are not entered. */
function placesOf(schema: Schema, path: readonly string[]): (readonly string[])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const place = [...path, name];
    if (property.type === 'array') return property.zero === 'emit' ? [place] : [];
    return place.length < DEEPEST ? placesOf(property, place) : [];
  });
}

/** Greatest depth of such lists: selector terms in the pod template of a CronJob are about as deep. */
const DEEPEST = 10;

function nothing(): void {}

function forgetAt(object: JsonObject, place: readonly string[], before: () => void): () => void {
  const last = place.length - 1;
  let holder: JsonValue | undefined = object;
  for (let i = 0; i < last && holder !== undefined; i++) {
    holder = isJsonObject(holder) ? holder[place[i]!] : undefined;
  }
  if (!isJsonObject(holder)) return before;
  const name = place[last]!;
  const list = holder[name];
  if (!Array.isArray(list) || list.length > 0) return before;
  holder[name] = null;
  const emptied = holder;
  return () => {
    before();
    emptied[name] = [];
  };
}
