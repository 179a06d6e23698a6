import type { Node } from './readers.ts';

/** A node; one that is gone stays to be seen for a moment. */
export interface Placed extends Node {
  /** When it went; 0 while it is there. */
  readonly goneMs: number;
}

/** Owners and dependents, changed in place: a change costs what it changes, not what there is. */
export class Lineage {
  readonly #nodes = new Map<string, Placed>();
  #children = new Map<string, Placed[]>();
  #roots: Placed[] = [];
  #shape: number;
  /** True when nodes came, went or changed hands since they were linked. */
  #isLoose = false;
  readonly #gone = new Map<string, number>();
  #changed = new Set<string>();

  /** `shape` goes on from that of a lineage before. */
  constructor(shape = 0) {
    this.#shape = shape;
  }

  get nodes(): ReadonlyMap<string, Placed> {
    return this.#nodes;
  }

  /** Owners' uids to what they own, each under its first owner that is there: as it was at the last `link`. */
  get children(): ReadonlyMap<string, readonly Placed[]> {
    return this.#children;
  }

  /** Nodes without an owner, as at the last `link`. */
  get roots(): readonly Placed[] {
    return this.#roots;
  }

  /** Grows with each `link` that had something to do. */
  get shape(): number {
    return this.#shape;
  }

  get isLoose(): boolean {
    return this.#isLoose;
  }

  get hasGone(): boolean {
    return this.#gone.size > 0;
  }

  put(node: Node): void {
    const { uid } = node;
    const known = this.#nodes.get(uid);
    if (known !== undefined && isKnown(known, node)) return;
    if (known === undefined || !isSameOwners(known, node)) this.#isLoose = true;
    this.#gone.delete(uid);
    this.#nodes.set(uid, { ...node, goneMs: 0 });
    this.#changed.add(uid);
  }

  remove(uid: string): void {
    if (!this.#nodes.delete(uid)) return;
    this.#gone.delete(uid);
    this.#isLoose = true;
    this.#changed.add(uid);
  }

  /** Leaves a node where it is until `forget`. */
  bury(uid: string, nowMs: number): void {
    const known = this.#nodes.get(uid);
    if (known === undefined || known.goneMs !== 0) return;
    this.#nodes.set(uid, { ...known, goneMs: nowMs });
    this.#gone.set(uid, nowMs);
    this.#changed.add(uid);
  }

  /** Removes what was buried by then. */
  forget(untilMs: number): void {
    for (const [uid, goneMs] of this.#gone) if (goneMs <= untilMs) this.remove(uid);
  }

  /** Links owners and dependents anew, if any came or went. */
  link(): void {
    if (!this.#isLoose) return;
    this.#isLoose = false;
    this.#shape++;
    const children = new Map<string, Placed[]>();
    const roots: Placed[] = [];
    for (const node of this.#nodes.values()) {
      const owner = node.owners.find((uid) => uid !== node.uid && this.#nodes.has(uid));
      if (owner === undefined) roots.push(node);
      else {
        const siblings = children.get(owner);
        if (siblings === undefined) children.set(owner, [node]);
        else siblings.push(node);
      }
    }
    this.#children = children;
    this.#roots = roots;
  }

  /** Returns the uids of what changed since this was asked the last time. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }
}

function isKnown(known: Placed, node: Node): boolean {
  return known.revision === node.revision && known.changedMs === node.changedMs && known.goneMs === 0;
}

function isSameOwners(known: Placed, node: Node): boolean {
  return (
    known.owners.length === node.owners.length && known.owners.every((owner, index) => owner === node.owners[index])
  );
}
