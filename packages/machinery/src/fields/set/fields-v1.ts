import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { inOrder } from './element-order.ts';
import { FieldSet } from './field-set.ts';
import { type ElementId, readElement, writeElement } from './path-element.ts';

/** Paths cannot be longer than objects are deep. */
const MAX_DEPTH = 2_000;

/**
 * Writes a set as FieldsV1: `{"f:data":{".":{},"f:a":{}}}`. Elements come in canonical order; `.` says that a field with
 * members below it is a member too.
 */
export function encodeFields(set: FieldSet): JsonObject {
  const json: JsonObject = {};
  if (set.below === undefined) return json;
  if (set.isMember) json['.'] = {};
  for (const id of inOrder(set.below.keys())) json[writeElement(id)] = encodeFields(set.below.get(id)!);
  return json;
}

/**
 * Reads FieldsV1. An element of a kind that is not known is passed over. Throws `FieldsError` for what is not FieldsV1.
 */
export function decodeFields(json: JsonValue): FieldSet {
  const node = decode(json, 0);
  return FieldSet.node(false, node.below);
}

function decode(json: JsonValue, depth: number): FieldSet {
  if (!isJsonObject(json)) {
    throw new FieldsError({
      code: 'MalformedFields',
      problem: 'Cannot read fields: what stands at an element is no object',
    });
  }
  if (depth > MAX_DEPTH) {
    throw new FieldsError({
      code: 'MalformedFields',
      problem: `Cannot read fields: nested deeper than ${MAX_DEPTH} levels`,
    });
  }
  let isMember = false;
  let below: Map<ElementId, FieldSet> | undefined;
  for (const text in json) {
    if (text === '.') {
      isMember = true;
      continue;
    }
    const id = readElement(text);
    if (id === undefined) continue;
    const child = decode(json[text]!, depth + 1);
    below ??= new Map();
    const same = below.get(id);
    below.set(id, same === undefined ? child : same.union(child));
  }
  return FieldSet.node(isMember || below === undefined, below);
}
