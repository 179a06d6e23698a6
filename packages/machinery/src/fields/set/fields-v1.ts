import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { FieldsError } from '../fields-error.ts';
import { inOrder } from './element-order.ts';
import { FieldSet, leaf } from './field-set.ts';
import { type ElementId, readElement, writeElement } from './path-element.ts';

/** Greatest depth of a path: objects are not deeper. */
const MAX_DEPTH = 2_000;

/**
 * Writes a set as FieldsV1: `{"f:data":{".":{},"f:a":{}}}`. Elements are in canonical order; `.` makes a field with
 * members below it a member too. Parts that have not changed since they were read are shared with their source.
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
 * Reads FieldsV1. Skips elements of unknown kinds. Throws `FieldsError` for malformed input. The caller must not change
 * the JSON afterwards.
 */
export function decodeFields(json: JsonValue): FieldSet {
  return new FieldsDecoder().decode(json);
}

/** Reads sets that are similar, such as those of the managers of one object. They share equal parts. */
export class FieldsDecoder {
  /** True when the last decoded input was in canonical form. */
  #wasCanonical = true;
  /** Recent nodes, by depth. */
  readonly #recent: RecentLeafNodes[] = [];

  /** As `decodeFields`. */
  decode(json: JsonValue): FieldSet {
    const node = this.#decodeNode(json, 0);
    return node.isMember ? FieldSet.node(false, node.below) : node;
  }

  #decodeNode(json: JsonValue, depth: number): FieldSet {
    if (!isJsonObject(json)) throw malformed('the value of an element is not an object');
    if (depth > MAX_DEPTH) throw malformed(`nested deeper than ${MAX_DEPTH} levels`);
    let isMember = false;
    let isCanonical = true;
    let previous = '';
    let below: Map<ElementId, FieldSet> | undefined;
    this.#recent[depth] ??= new RecentLeafNodes();
    const recent = this.#recent[depth];
    for (const text of Object.keys(json)) {
      isCanonical &&= text > previous && isSurelyCanonical(text);
      previous = text;
      if (text === '.') {
        isMember = true;
        continue;
      }
      const id = readElement(text);
      if (id === undefined) continue;
      const child = this.#decodeChild(json[text]!, depth + 1, recent);
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

  /** Most children are empty, or equal to the one before. */
  #decodeChild(json: JsonValue, depth: number, recent: RecentLeafNodes): FieldSet {
    if (!isJsonObject(json)) return this.#decodeNode(json, depth);
    if (isEmpty(json)) {
      this.#wasCanonical = true;
      return leaf;
    }
    const known = recent.find(json);
    if (known !== undefined) {
      this.#wasCanonical = known.wasCanonical;
      return known.node;
    }
    const node = this.#decodeNode(json, depth);
    recent.add(json, node, this.#wasCanonical);
    return node;
  }
}

/** A node all of whose children are leaves, and their names in FieldsV1. */
interface LeafNode {
  readonly node: FieldSet;
  readonly names: readonly string[];
  readonly wasCanonical: boolean;
}

/** The last nodes all of whose children are leaves. The items of a list mostly have the same fields, and share one node. */
class RecentLeafNodes {
  static readonly #maxNodes = 4;
  /** A ring: the oldest is replaced. */
  readonly #nodes: LeafNode[] = [];
  #added = 0;

  find(json: JsonObject): LeafNode | undefined {
    for (const known of this.#nodes) if (isOf(json, known.names)) return known;
    return undefined;
  }

  add(json: JsonObject, node: FieldSet, wasCanonical: boolean): void {
    const names: string[] = [];
    for (const name in json) {
      if (!isEmptyObject(json[name])) return;
      names.push(name);
    }
    this.#nodes[this.#added++ % RecentLeafNodes.#maxNodes] = { node, names, wasCanonical };
  }
}

/** True when the object has exactly these names in this order, with empty values. */
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
 * True when an element that follows smaller ones is certainly canonical and in order. Fields are, and so are items with
 * a plain text as key, whose texts sort like their values.
 */
function isSurelyCanonical(text: string): boolean {
  return text.charCodeAt(0) === 0x66 || text === '.' || plainNameKey.test(text);
}

const plainNameKey = /^k:\{"name":"[\w./-]*"\}$/;

function malformed(problem: string): FieldsError {
  return new FieldsError({ code: 'MalformedFields', problem: `Cannot read fields: ${problem}` });
}
