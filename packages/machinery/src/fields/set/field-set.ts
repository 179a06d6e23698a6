import type { JsonObject } from '../../json/index.ts';
import { inOrder } from './element-order.ts';
import { type ElementId, elementId, elementOf, type FieldPath } from './path-element.ts';

/**
 * A set of fields of an object: a tree of path elements in which some nodes are members. That a field is a member says
 * nothing about the fields around or inside it: `.spec` and `.spec.replicas` are two members.
 *
 *     .data, .data.a, .metadata.labels.app
 *
 *     root ─┬─ data ● ──── a ●
 *           └─ metadata ── labels ── app ●
 *
 * A set never changes. Every node is a set of its own, the fields below that node, and results share the nodes that they
 * have in common with what they were made from.
 */
export class FieldSet {
  /** Whether the path that leads to this node is a member of the tree it stands in. False at a root. */
  readonly isMember: boolean;
  /** The nodes one step below; absent rather than empty, and each of them a member or with members below it. */
  readonly below: ReadonlyMap<ElementId, FieldSet> | undefined;
  /** The canonical FieldsV1 of this node, once somebody has written or read it. */
  #json: JsonObject | undefined;

  private constructor(isMember: boolean, below: ReadonlyMap<ElementId, FieldSet> | undefined) {
    this.isMember = isMember;
    this.below = below;
  }

  static of(...paths: readonly FieldPath[]): FieldSet {
    return paths.reduce<FieldSet>((set, path) => set.union(chain(path, 0)), emptySet);
  }

  /** A node over nodes that exist. Takes `below` over: it must not be changed afterwards. */
  static node(isMember: boolean, below: ReadonlyMap<ElementId, FieldSet> | undefined): FieldSet {
    if (below === undefined || below.size === 0) return isMember ? leaf : emptySet;
    return new FieldSet(isMember, below);
  }

  /** Two nodes without anything below them serve everybody. Only `leaf` and `emptySet` call this. */
  static bare(isMember: boolean): FieldSet {
    return new FieldSet(isMember, undefined);
  }

  /** The canonical FieldsV1 of this node: what `write` makes of it, once. */
  json(write: (node: FieldSet) => JsonObject): JsonObject {
    this.#json ??= write(this);
    return this.#json;
  }

  get isEmpty(): boolean {
    return !this.isMember && this.below === undefined;
  }

  /** How many members there are. */
  get size(): number {
    let size = this.isMember ? 1 : 0;
    if (this.below !== undefined) for (const child of this.below.values()) size += child.size;
    return size;
  }

  /** Whether the path is a member. The root of an object never is. */
  has(path: FieldPath): boolean {
    let node: FieldSet | undefined = this;
    for (const element of path) {
      node = node.below?.get(elementId(element));
      if (node === undefined) return false;
    }
    return path.length > 0 && node.isMember;
  }

  /** The node one step below: a set of the fields in there. */
  child(id: ElementId): FieldSet | undefined {
    return this.below?.get(id);
  }

  /** This set, or the other one if they are equal: nodes that are alike are worth sharing. */
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

  /** The same set, made of the nodes of `other` as far as they are equal: what is known of those need not be found again. */
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

  /** The members of either. */
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

  /** The members of both. */
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

  /** The members that `other` does not have. Taking away `.spec` leaves `.spec.replicas`. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, difference);
  }

  /** The members that neither are in `other` nor stand inside one of its members. */
  subtractTrees(other: FieldSet): FieldSet {
    return this.#without(other, subtractTree);
  }

  /** Whether `other` has all members of this set. */
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

  /** The members with no member below them. */
  leaves(): FieldSet {
    if (this.below === undefined) return this;
    const below = new Map<ElementId, FieldSet>();
    for (const [id, child] of this.below) below.set(id, child.leaves());
    return new FieldSet(false, below);
  }

  /** Every member once, in canonical order: at each level first the members, then what is inside of them. */
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

/** What remains of nodes when much is taken away: itself when nothing is. */
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

/** What two nodes at the same place make. */
type Combine = (own: FieldSet, other: FieldSet) => FieldSet;

const reusing: Combine = (own, other) => own.reusing(other);
const union: Combine = (own, other) => own.union(other);
const intersection: Combine = (own, other) => own.intersection(other);
const difference: Combine = (own, other) => own.difference(other);
const subtractTree: Combine = (own, other) => (other.isMember ? emptySet : own.subtractTrees(other));

/** Fewer pairs are as quickly combined one by one. */
const MANY = 16;

/** The items of a long list are alike and share their nodes, so that what the last pair made is often made again. */
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

/** A member with nothing below it. */
export const leaf = FieldSet.bare(true);

/** The set without members. */
export const emptySet = FieldSet.bare(false);

/** The set of one path. */
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
