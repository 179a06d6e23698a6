import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { printAsSource } from '../fields/go-print.ts';
import { deepCopy } from '../json/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/value.ts';
import { formatFloat } from './format-float.ts';
import type { YamlLimits } from './limits.ts';
import { floatToJson, type Resolved, resolvePlain } from './resolve-plain.ts';
import { YamlError } from './yaml-error.ts';

/** A repeated key of a map. */
export interface DuplicateKey {
  /** The key as Go prints it: `"a"`, `1`, `true`. */
  readonly key: string;
  /** Offset of the later value. */
  readonly offset: number;
}

/** Most nodes that all aliases of a document may expand to. Bounds alias bombs that stay within the number of aliases. */
const MAX_ALIASED_NODES = 100_000;

/** Most duplicates that are reported. */
export const MAX_DUPLICATES = 100;

/** Converts the nodes of a document to JSON, as Kubernetes does: aliases expanded, merge keys merged, keys made strings. */
export class NodeConverter {
  readonly duplicates: DuplicateKey[] = [];
  readonly #limits: YamlLimits;
  /** The current node of each anchor; `undefined` while the anchored node itself is being read. */
  readonly #anchors = new Map<string, Anchored | undefined>();
  #aliases = 0;
  #aliasedNodes = 0;
  /** Nodes converted so far, including those that aliases expanded to. */
  #nodes = 0;
  /** The deepest level since the last reset. */
  #deepest = 0;

  constructor(limits: YamlLimits) {
    this.#limits = limits;
  }

  convert(node: unknown): JsonValue {
    return this.#convert(node, 0);
  }

  #convert(node: unknown, depth: number): JsonValue {
    if (isAlias(node)) return this.#expand(node, depth);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    return anchor === undefined ? this.#convertNode(node, depth) : this.#convertAnchored(anchor, node, depth);
  }

  #convertAnchored(anchor: string, node: unknown, depth: number): JsonValue {
    const nodes = this.#nodes;
    const deepest = this.#deepest;
    this.#deepest = depth;
    this.#anchors.set(anchor, undefined);
    const value = this.#convertNode(node, depth);
    this.#anchors.set(anchor, { value, nodes: this.#nodes - nodes, height: this.#deepest - depth });
    this.#deepest = Math.max(deepest, this.#deepest);
    return value;
  }

  #convertNode(node: unknown, depth: number): JsonValue {
    this.#nodes++;
    this.#enter(depth);
    if (isMap(node)) return this.#fill({}, node, depth);
    if (isSeq(node)) return node.items.map((item) => this.#convert(item, depth + 1));
    return isScalar(node) ? toJson(resolve(node)) : null;
  }

  #enter(depth: number): void {
    if (depth > this.#limits.maxDepth) throw new YamlError({ code: 'TooDeep', limit: this.#limits.maxDepth });
    this.#deepest = Math.max(this.#deepest, depth);
  }

  #expand(alias: Alias, depth: number): JsonValue {
    const anchored = this.#lookUp(alias);
    this.#aliases++;
    this.#aliasedNodes += anchored.nodes;
    if (this.#aliases > this.#limits.maxAliases || this.#aliasedNodes > MAX_ALIASED_NODES) {
      throw new YamlError({ code: 'TooManyAliases' });
    }
    this.#nodes += anchored.nodes;
    this.#enter(depth + anchored.height);
    return deepCopy(anchored.value);
  }

  #lookUp(alias: Alias): Anchored {
    const anchor = alias.source;
    if (!this.#anchors.has(anchor)) throw new YamlError({ code: 'UnknownAnchor', anchor });
    const anchored = this.#anchors.get(anchor);
    if (anchored === undefined) throw new YamlError({ code: 'RecursiveAnchor', anchor });
    return anchored;
  }

  /** Sets pairs in the order of the document, so that the later of two values for one key stays. */
  #fill(target: JsonObject, map: YAMLMap, depth: number): JsonObject {
    for (const pair of map.items) {
      if (isMerge(pair.key)) this.#merge(target, pair.value, depth);
      else this.#set(target, pair, depth);
    }
    return target;
  }

  #set(target: JsonObject, pair: Pair, depth: number): void {
    const key = this.#key(pair.key, depth);
    const value = this.#convert(pair.value, depth + 1);
    if (key === undefined) throw new YamlError({ code: 'NullKey', value: printAsSource(value) });
    this.#put(target, key, value, startOf(pair.value) ?? startOf(pair.key) ?? 0);
  }

  #put(target: JsonObject, key: Key, value: JsonValue, offset: number): void {
    if (Object.hasOwn(target, key.name) && this.duplicates.length < MAX_DUPLICATES) {
      this.duplicates.push({ key: key.printed, offset });
    }
    setOwn(target, key.name, value);
  }

  #key(node: unknown, depth: number): Key | undefined {
    if (isScalar(node) && node.anchor === undefined) return keyOf(resolve(node));
    const value = this.#convert(node, depth + 1);
    if (Array.isArray(value)) throw new YamlError({ code: 'InvalidKey', found: printAsSource(value) });
    if (isJsonObject(value)) throw new YamlError({ code: 'InvalidKey', found: 'a map' });
    return keyOf(isScalar(node) ? resolve(node) : resolvedAgain(value));
  }

  /** Merges the list from its end: earlier maps win. */
  #merge(target: JsonObject, source: unknown, depth: number): void {
    if (isSeq(source)) for (const item of (source as YAMLSeq).items.toReversed()) this.#mergeOne(target, item, depth);
    else this.#mergeOne(target, source, depth);
  }

  #mergeOne(target: JsonObject, source: unknown, depth: number): void {
    if (!isMap(source) && !isAlias(source)) throw new YamlError({ code: 'InvalidMerge' });
    const merged = this.#convert(source, depth);
    if (!isJsonObject(merged)) throw new YamlError({ code: 'InvalidMerge' });
    for (const [name, value] of Object.entries(merged)) {
      this.#put(target, { name, printed: JSON.stringify(name) }, value, startOf(source) ?? 0);
    }
  }
}

interface Anchored {
  readonly value: JsonValue;
  readonly nodes: number;
  /** Levels below the anchored node. */
  readonly height: number;
}

interface Key {
  readonly name: string;
  readonly printed: string;
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** True for a plain `<<`; in quotes it is a key like any other. */
function isMerge(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.tag === undefined ? key.type === 'PLAIN' : key.tag === MERGE_TAG);
}

const TAG_PREFIX = 'tag:yaml.org,2002:';
const MERGE_TAG = `${TAG_PREFIX}merge`;

function resolve(scalar: Scalar): Resolved {
  const source = wellFormed(scalar);
  if (scalar.tag === undefined) {
    return scalar.type === 'PLAIN' ? resolvePlain(source) : { tag: '!!str', value: source };
  }
  const tag = scalar.tag.startsWith(TAG_PREFIX) ? `!!${scalar.tag.slice(TAG_PREFIX.length)}` : scalar.tag;
  return resolveTagged(tag, source);
}

function resolveTagged(tag: string, source: string): Resolved {
  if (tag === '!!binary') return { tag: '!!str', value: decodeBase64(source) };
  if (!checkedTags.has(tag)) return { tag: '!!str', value: source };
  const resolved = resolvePlain(source);
  if (resolved.tag === tag) return resolved;
  if (tag === '!!float' && resolved.tag === '!!int') return { tag, value: Number(resolved.value) };
  throw new YamlError({ code: 'TagMismatch', tag, actual: resolved.tag, source: source.slice(0, 100) });
}

const checkedTags = new Set(['!!null', '!!bool', '!!int', '!!float']);

function wellFormed(scalar: Scalar): string {
  const source = scalar.type === 'PLAIN' ? (scalar.source ?? '') : String(scalar.value);
  return scalar.type === 'QUOTE_DOUBLE' ? source.replace(/\p{Surrogate}/gu, '\ufffd') : source;
}

function decodeBase64(source: string): string {
  const digits = source.replace(/[\r\n]/g, '');
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) throw new YamlError({ code: 'InvalidBase64' });
  return Buffer.from(digits, 'base64').toString();
}

function toJson(resolved: Resolved): JsonValue {
  return resolved.tag === '!!float' ? floatToJson(resolved.value) : resolved.value;
}

/** Returns `undefined` for null, which is no key in JSON. */
function keyOf(resolved: Resolved): Key | undefined {
  switch (resolved.tag) {
    case '!!null':
      return undefined;
    case '!!str':
      return { name: resolved.value, printed: JSON.stringify(resolved.value) };
    case '!!float':
      return { name: formatFloatKey(resolved.value), printed: formatFloat(resolved.value) };
    default:
      return { name: String(resolved.value), printed: String(resolved.value) };
  }
}

function formatFloatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return formatFloat(value, 32);
}

/** Resolves a key given by an alias, of which only the value is known. */
function resolvedAgain(value: JsonValue): Resolved {
  return typeof value === 'string' ? { tag: '!!str', value } : resolvePlain(String(value));
}
