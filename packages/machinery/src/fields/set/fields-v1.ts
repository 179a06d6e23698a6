import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { inOrder } from './element-order.ts';
import { FieldSet, leaf } from './field-set.ts';
import { type ElementId, readElement, writeElement } from './path-element.ts';

/** Paths cannot be longer than objects are deep. */
const MAX_DEPTH = 2_000;

/**
 * Writes a set as FieldsV1: `{"f:data":{".":{},"f:a":{}}}`. Elements come in canonical order; `.` says that a field with
 * members below it is a member too. What was read and has not changed since is shared with what it was read from.
 */
export function encodeFields(set: FieldSet): JsonObject {
  return set.json(write);
}

function write(node: FieldSet): JsonObject {
  const json: JsonObject = {};
  if (node.below === undefined) return json;
  if (node.isMember) json['.'] = {};
  for (const id of inOrder(node.below.keys())) {
    const child = node.below.get(id)!;
    json[writeElement(id)] = child.below === undefined ? {} : child.json(write);
  }
  return json;
}

/**
 * Reads FieldsV1. An element of a kind that is not known is passed over. Throws `FieldsError` for what is not FieldsV1.
 * The JSON must not be changed afterwards.
 */
export function decodeFields(json: JsonValue): FieldSet {
  return new FieldsDecoder().decode(json);
}

/** Reads sets that are much alike, such as those of the managers of one object. They share what is equal in them. */
export class FieldsDecoder {
  /** Whether what was decoded last is written as we would write it. */
  #wasCanonical = true;
  /** By depth, what was decoded there. */
  readonly #alike: Alike[] = [];

  /** As `decodeFields`. */
  decode(json: JsonValue): FieldSet {
    const node = this.#decodeNode(json, 0);
    return node.isMember ? FieldSet.node(false, node.below) : node;
  }

  #decodeNode(json: JsonValue, depth: number): FieldSet {
    if (!isJsonObject(json)) throw malformed('what stands at an element is no object');
    if (depth > MAX_DEPTH) throw malformed(`nested deeper than ${MAX_DEPTH} levels`);
    let isMember = false;
    let isCanonical = true;
    let previous = '';
    let below: Map<ElementId, FieldSet> | undefined;
    this.#alike[depth] ??= new Alike();
    const alike = this.#alike[depth];
    for (const text of Object.keys(json)) {
      isCanonical &&= text > previous && isSurelyCanonical(text);
      previous = text;
      if (text === '.') {
        isMember = true;
        continue;
      }
      const id = readElement(text);
      if (id === undefined) continue;
      const child = this.#decodeChild(json[text]!, depth + 1, alike);
      isCanonical &&= this.#wasCanonical;
      below ??= new Map();
      const same = below.get(id);
      below.set(id, same === undefined ? child : same.union(child));
    }
    this.#wasCanonical = isCanonical && (below !== undefined || previous === '');
    const node = FieldSet.node(isMember || below === undefined, below);
    if (isCanonical && below !== undefined) node.json(() => json);
    return node;
  }

  /** Most of what there is to decode is empty, or just like what stands before it. */
  #decodeChild(json: JsonValue, depth: number, alike: Alike): FieldSet {
    if (!isJsonObject(json)) return this.#decodeNode(json, depth);
    if (isEmpty(json)) {
      this.#wasCanonical = true;
      return leaf;
    }
    const known = alike.find(json);
    if (known !== undefined) {
      this.#wasCanonical = known.wasCanonical;
      return known.node;
    }
    const node = this.#decodeNode(json, depth);
    alike.learn(json, node, this.#wasCanonical);
    return node;
  }
}

/** A node with nothing but leaves below it, and how FieldsV1 had these. */
interface LeafNode {
  readonly node: FieldSet;
  readonly names: readonly string[];
  readonly wasCanonical: boolean;
}

/** The last nodes with nothing but leaves below them. The items of a list mostly have the same fields, and share one. */
class Alike {
  static readonly #maxNodes = 4;
  /** In a circle: the oldest is replaced. */
  readonly #nodes: LeafNode[] = [];
  #learned = 0;

  find(json: JsonObject): LeafNode | undefined {
    for (const known of this.#nodes) if (isOf(json, known.names)) return known;
    return undefined;
  }

  learn(json: JsonObject, node: FieldSet, wasCanonical: boolean): void {
    const names: string[] = [];
    for (const name in json) {
      if (!isEmptyObject(json[name])) return;
      names.push(name);
    }
    this.#nodes[this.#learned++ % Alike.#maxNodes] = { node, names, wasCanonical };
  }
}

/** Whether the object has these names in this order, and nothing in them. */
function isOf(json: JsonObject, names: readonly string[]): boolean {
  let at = 0;
  for (const name in json) if (name !== names[at++] || !isEmptyObject(json[name])) return false;
  return at === names.length;
}

function isEmptyObject(json: JsonValue | undefined): boolean {
  return isJsonObject(json) && isEmpty(json);
}

function isEmpty(json: JsonObject): boolean {
  for (const _ in json) return false;
  return true;
}

/**
 * Whether an element that follows smaller ones is written and placed as we would. Names are, and so are items whose key
 * is a plain text: there text and value have one order.
 */
function isSurelyCanonical(text: string): boolean {
  return text.charCodeAt(0) === 0x66 || text === '.' || plainNameKey.test(text);
}

const plainNameKey = /^k:\{"name":"[\w./-]*"\}$/;

function malformed(problem: string): FieldsError {
  return new FieldsError({ code: 'MalformedFields', problem: `Cannot read fields: ${problem}` });
}
