import type { JsonObject } from '../../json/index.ts';
import { inOrder } from './element-order.ts';
import { type ElementId, elementId, elementOf, type FieldPath } from './path-element.ts';

/**
 * A set of fields of an object: a tree of path elements in which some tree nodes are members. Membership of a field is
 * independent of the fields around or inside it: `.spec` and `.spec.replicas` are two members.
 *
 *     .data, .data.a, .metadata.labels.app
 *
 *     root ─┬─ data ● ──── a ●
 *           └─ metadata ── labels ── app ●
 *
 * A set never changes. Every tree node is itself a set, of the fields below it, and results share nodes with the sets
 * they were made from.
 */
export class FieldSet {
  /** True when the path to this node is a member of its tree. False at a root. */
  readonly isMember: boolean;
  /** The nodes one step below; absent rather than empty, and each a member or with members below it. */
  readonly below: ReadonlyMap<ElementId, FieldSet> | undefined;
  /** The canonical FieldsV1 of this node, once it has been written or read. */
  #json: JsonObject | undefined;

  private constructor(isMember: boolean, below: ReadonlyMap<ElementId, FieldSet> | undefined) {
    this.isMember = isMember;
    this.below = below;
  }

  static of(...paths: readonly FieldPath[]): FieldSet {
    return paths.reduce<FieldSet>((set, path) => set.union(chain(path, 0)), emptySet);
  }

  /** Makes a node over existing nodes. Takes ownership of `below`: the caller must not change it afterwards. */
  static node(isMember: boolean, below: ReadonlyMap<ElementId, FieldSet> | undefined): FieldSet {
    if (below === undefined || below.size === 0) return isMember ? leaf : emptySet;
    return new FieldSet(isMember, below);
  }

  /** Makes one of the two nodes without children, which all sets share. Only `leaf` and `emptySet` call this. */
  static bare(isMember: boolean): FieldSet {
    return new FieldSet(isMember, undefined);
  }

  /** Returns the canonical FieldsV1 of this node; calls `write` once. */
  json(write: (node: FieldSet) => JsonObject): JsonObject {
    this.#json ??= write(this);
    return this.#json;
  }

  get isEmpty(): boolean {
    return !this.isMember && this.below === undefined;
  }

  /** Number of members. */
  get size(): number {
    let size = this.isMember ? 1 : 0;
    if (this.below !== undefined) for (const child of this.below.values()) size += child.size;
    return size;
  }

  /** True when the path is a member. The root of an object never is. */
  has(path: FieldPath): boolean {
    let node: FieldSet | undefined = this;
    for (const element of path) {
      node = node.below?.get(elementId(element));
      if (node === undefined) return false;
    }
    return path.length > 0 && node.isMember;
  }

  /** Returns the node one step below: a set of the fields inside it. */
  child(id: ElementId): FieldSet | undefined {
    return this.below?.get(id);
  }

  /** Returns this set, or the other one if they are equal, so that equal nodes are shared. */
  orSame(other: FieldSet | undefined): FieldSet {
    return other !== undefined && this.equals(other) ? other : this;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.isMember !== other.isMember || this.below?.size !== other.below?.size) return false;
    if (this.below === undefined || other.below === undefined) return true;
    for (const [id, child] of this.below) {
      const same = other.below.get(id);
      if (same === undefined || !child.equals(same)) return false;
    }
    return true;
  }

  /** Returns an equal set that uses the nodes of `other` where they are equal, with the FieldsV1 that those have cached. */
  reusing(other: FieldSet): FieldSet {
    if (this === other || this.below === undefined || other.below === undefined) return this;
    let below: Map<ElementId, FieldSet> | undefined;
    let isSame = this.isMember === other.isMember && this.below.size === other.below.size;
    const reuse = forMany(this.below.size, reusing);
    for (const [id, child] of this.below) {
      const theirs = other.below.get(id);
      const reused = theirs === undefined ? child : reuse(child, theirs);
      isSame &&= reused === theirs;
      if (reused === child) continue;
      below ??= new Map(this.below);
      below.set(id, reused);
    }
    return isSame ? other : this.#with(this.isMember, below ?? this.below);
  }

  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    const isMember = this.isMember || other.isMember;
    if (this.below === undefined || other.below === undefined) {
      return this.#with(isMember, this.below ?? other.below);
    }
    let below: Map<ElementId, FieldSet> | undefined;
    const unite = forMany(other.below.size, union);
    for (const [id, child] of other.below) {
      const own = this.below.get(id);
      const both = own === undefined ? child : unite(own, child);
      if (both === own) continue;
      below ??= new Map(this.below);
      below.set(id, both);
    }
    return this.#with(isMember, below ?? this.below);
  }

  intersection(other: FieldSet): FieldSet {
    if (this === other) return this;
    const isMember = this.isMember && other.isMember;
    if (this.below === undefined || other.below === undefined) return FieldSet.node(isMember, undefined);
    if (this.below.size > other.below.size) return other.intersection(this);
    const below = new Map<ElementId, FieldSet>();
    const intersect = forMany(this.below.size, intersection);
    for (const [id, child] of this.below) {
      const theirs = other.below.get(id);
      const both = theirs === undefined ? emptySet : intersect(child, theirs);
      if (!both.isEmpty) below.set(id, both);
    }
    return FieldSet.node(isMember, below);
  }

  /** Returns the members that `other` does not have. Subtracting `.spec` leaves `.spec.replicas`. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, difference);
  }

  /** Returns the members that neither are in `other` nor below one of its members. */
  subtractTrees(other: FieldSet): FieldSet {
    return this.#without(other, subtractTree);
  }

  isSubsetOf(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.isMember && !other.isMember) return false;
    if (this.below === undefined) return true;
    if (other.below === undefined) return false;
    for (const [id, child] of this.below) {
      const theirs = other.below.get(id);
      if (theirs === undefined || !child.isSubsetOf(theirs)) return false;
    }
    return true;
  }

  /** Returns the members with no member below them. */
  leaves(): FieldSet {
    if (this.below === undefined) return this;
    const below = new Map<ElementId, FieldSet>();
    for (const [id, child] of this.below) below.set(id, child.leaves());
    return new FieldSet(false, below);
  }

  /** Yields every member once, in canonical order: at each level first the members, then those inside them. */
  *paths(): Generator<FieldPath, void, undefined> {
    yield* pathsBelow(this, []);
  }

  #with(isMember: boolean, below: ReadonlyMap<ElementId, FieldSet> | undefined): FieldSet {
    return isMember === this.isMember && below === this.below ? this : FieldSet.node(isMember, below);
  }

  #without(other: FieldSet, remain: Combine): FieldSet {
    const isMember = this.isMember && !other.isMember;
    if (this.below === undefined || other.below === undefined) return this.#with(isMember, this.below);
    if (other.below.size * 2 > this.below.size) return this.#with(isMember, restOf(this.below, other.below, remain));
    let below: Map<ElementId, FieldSet> | undefined;
    const rest = forMany(other.below.size, remain);
    for (const [id, theirs] of other.below) {
      const child = this.below.get(id);
      const left = child && rest(child, theirs);
      if (left === child) continue;
      below ??= new Map(this.below);
      if (left!.isEmpty) below.delete(id);
      else below.set(id, left!);
    }
    return this.#with(isMember, below ?? this.below);
  }
}

/** Returns the nodes that remain; the same map when none is removed. */
function restOf(
  below: ReadonlyMap<ElementId, FieldSet>,
  other: ReadonlyMap<ElementId, FieldSet>,
  remain: Combine,
): ReadonlyMap<ElementId, FieldSet> {
  const left = new Map<ElementId, FieldSet>();
  let isSame = true;
  const rest = forMany(below.size, remain);
  for (const [id, child] of below) {
    const theirs = other.get(id);
    const remaining = theirs === undefined ? child : rest(child, theirs);
    isSame &&= remaining === child;
    if (!remaining.isEmpty) left.set(id, remaining);
  }
  return isSame ? below : left;
}

/** Combines two nodes at the same path. */
type Combine = (own: FieldSet, other: FieldSet) => FieldSet;

const reusing: Combine = (own, other) => own.reusing(other);
const union: Combine = (own, other) => own.union(other);
const intersection: Combine = (own, other) => own.intersection(other);
const difference: Combine = (own, other) => own.difference(other);
const subtractTree: Combine = (own, other) => (other.isMember ? emptySet : own.subtractTrees(other));

/** Fewer pairs are combined one by one. */
const MANY = 16;

/** The items of a long list are alike and share their nodes, so the result for the last pair is often reused. */
function forMany(count: number, combine: Combine): Combine {
  if (count < MANY) return combine;
  let lastOwn: FieldSet | undefined;
  let lastOther: FieldSet | undefined;
  let made: FieldSet = emptySet;
  return (own, other) => {
    if (own !== lastOwn || other !== lastOther) {
      made = combine(own, other);
      lastOwn = own;
      lastOther = other;
    }
    return made;
  };
}

/** A member without children. */
export const leaf = FieldSet.bare(true);

/** The empty set. */
export const emptySet = FieldSet.bare(false);

/** Makes the set of one path. */
function chain(path: FieldPath, from: number): FieldSet {
  if (path.length === 0) return emptySet;
  if (from === path.length) return leaf;
  return FieldSet.node(false, new Map([[elementId(path[from]!), chain(path, from + 1)]]));
}

function* pathsBelow(node: FieldSet, prefix: FieldPath): Generator<FieldPath, void, undefined> {
  if (node.below === undefined) return;
  const steps = inOrder(node.below.keys()).map((id) => ({
    child: node.below!.get(id)!,
    path: [...prefix, elementOf(id)],
  }));
  for (const { child, path } of steps) if (child.isMember) yield path;
  for (const { child, path } of steps) yield* pathsBelow(child, path);
}
