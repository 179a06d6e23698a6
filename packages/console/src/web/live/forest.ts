import { may } from '../api/access.ts';
import type { ApiError } from '../api/http.ts';
import type { Kind } from '../api/kinds.ts';
import { isBuiltIn, kindId, pathOf } from '../api/kinds.ts';
import type { Phase } from './collection.ts';
import { collectionOf } from './hub.ts';
import { type Node, nodeReader } from './readers.ts';

/** A node that is gone, which stays to be seen for a moment. */
export interface Placed extends Node {
  readonly goneMs: number;
}

export interface ForestSnapshot {
  readonly nodes: ReadonlyMap<string, Placed>;
  /** Owners' uids to what they own, each under its first owner that is there. */
  readonly children: ReadonlyMap<string, readonly Placed[]>;
  /** Nodes without an owner. */
  readonly roots: readonly Placed[];
  /** Grows when a node comes, goes or changes hands: a layout is good for as long as this stays. */
  readonly shape: number;
  readonly phase: Phase;
  readonly revision: number;
  readonly heardMs: number;
  readonly isComplete: boolean;
  /** Why the moment cannot be shown. */
  readonly error: ApiError | undefined;
}

/** Kinds that say nothing about ownership and change all the time, or hold the server's own settings. */
const LEFT_OUT = new Set([
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'endpoints',
  'componentstatuses',
  'csinodes.storage.k8s.io',
  'ipaddresses.networking.k8s.io',
]);
const LEFT_OUT_GROUPS = new Set([
  'flowcontrol.apiserver.k8s.io',
  'rbac.authorization.k8s.io',
  'apiregistration.k8s.io',
  'admissionregistration.k8s.io',
]);
const CLUSTER_KINDS = new Set(['nodes', 'persistentvolumes']);

/** Of more kinds, those without objects are not watched. */
const MAX_WATCHED = 60;

/** Time for which a deleted node stays visible. */
export const GOING_MS = 1600;

/** Kinds that a forest is made of. */
export function forestKinds(kinds: readonly Kind[], namespace: string | undefined): Kind[] {
  return kinds.filter((kind) => {
    if (!kind.verbs.has('watch') || LEFT_OUT.has(kindId(kind)) || LEFT_OUT_GROUPS.has(kind.group)) return false;
    if (kind.isNamespaced) return true;
    return namespace === undefined && (!isBuiltIn(kind) || CLUSTER_KINDS.has(kindId(kind)));
  });
}

interface Part {
  readonly collection: ReturnType<typeof collectionOf<Node>>;
  items: readonly Node[];
}

/** Owners and dependents of a namespace, or of everything, from one live collection a kind. */
export class Forest {
  readonly #parts: Part[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #kinds: readonly Kind[];
  readonly #namespace: string | undefined;
  readonly #at: number | undefined;
  #stops: (() => void)[] = [];
  #snapshot: ForestSnapshot = EMPTY;
  #isDirty = false;
  #isOpening = false;

  constructor(kinds: readonly Kind[], namespace: string | undefined, at: number | undefined) {
    this.#kinds = kinds;
    this.#namespace = namespace;
    this.#at = at;
  }

  readonly snapshot = (): ForestSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  };

  async #open(): Promise<void> {
    this.#isOpening = true;
    const namespace = this.#namespace;
    const isAll = await may({ verb: 'list', kind: { group: '*', resource: '*' }, namespace });
    const allowed = await Promise.all(
      this.#kinds.map(async (kind) => isAll || (await may({ verb: 'list', kind, namespace }))),
    );
    if (this.#listeners.size === 0) return;
    const kinds = this.#kinds.filter((_, index) => allowed[index]);
    for (const kind of kinds) {
      const path = pathOf(kind, namespace);
      const isSparse = kinds.length > MAX_WATCHED;
      const collection = collectionOf('node', { path, reader: nodeReader(kind), at: this.#at, isSparse });
      this.#parts.push({ collection, items: [] });
      this.#stops.push(collection.subscribe(() => this.#changed()));
    }
    this.#isOpening = false;
    this.#changed();
  }

  #close(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#parts.length = 0;
  }

  #changed(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    requestAnimationFrame(() => {
      this.#isDirty = false;
      this.#snapshot = this.#grow();
      for (const listener of this.#listeners) listener();
    });
  }

  #grow(): ForestSnapshot {
    const before = this.#snapshot;
    const nodes = new Map<string, Placed>();
    let isSame = before.isComplete;
    for (const part of this.#parts) {
      for (const node of part.collection.snapshot().items) {
        const known = before.nodes.get(node.uid);
        if (known === undefined || known.goneMs !== 0 || !isSameOwners(known, node)) isSame = false;
        nodes.set(node.uid, known !== undefined && isKnown(known, node) ? known : { ...node, goneMs: 0 });
      }
    }
    this.#keepGone(before, nodes);
    if (nodes.size !== before.nodes.size) isSame = false;
    const state = this.#state();
    if (isSame) return { ...before, ...relinked(before, nodes), ...state };
    return { ...linked(nodes), shape: before.shape + 1, ...state };
  }

  /** Nodes that were there a moment ago stay for a moment, unless another moment is shown. */
  #keepGone(before: ForestSnapshot, nodes: Map<string, Placed>): void {
    if (this.#at !== undefined || !before.isComplete) return;
    const nowMs = Date.now();
    for (const [uid, node] of before.nodes) {
      if (nodes.has(uid)) continue;
      const goneMs = node.goneMs || nowMs;
      if (nowMs - goneMs < GOING_MS) nodes.set(uid, { ...node, goneMs });
    }
    if ([...nodes.values()].some((node) => node.goneMs !== 0)) window.setTimeout(() => this.#changed(), GOING_MS / 2);
  }

  #state(): Pick<ForestSnapshot, 'phase' | 'revision' | 'heardMs' | 'isComplete' | 'error'> {
    const snapshots = this.#parts.map((part) => part.collection.snapshot());
    const has = (phase: Phase): boolean => snapshots.some((each) => each.phase === phase);
    const isComplete = !this.#isOpening && snapshots.every((each) => each.isComplete || each.phase === 'denied');
    const phase = has('failed')
      ? 'failed'
      : has('lost')
        ? 'lost'
        : !isComplete || has('loading')
          ? 'loading'
          : undefined;
    return {
      phase: phase ?? (this.#at === undefined ? 'live' : 'then'),
      revision: this.#at ?? Math.max(0, ...snapshots.map((each) => each.revision)),
      heardMs: Math.max(0, ...snapshots.map((each) => each.heardMs)),
      isComplete,
      error: snapshots.find((each) => each.phase === 'failed' && each.error?.status === 410)?.error,
    };
  }
}

const EMPTY: ForestSnapshot = {
  nodes: new Map(),
  children: new Map(),
  roots: [],
  shape: 0,
  phase: 'loading',
  revision: 0,
  heardMs: 0,
  isComplete: false,
  error: undefined,
};

function isKnown(known: Placed, node: Node): boolean {
  return known.revision === node.revision && known.changedMs === node.changedMs && known.goneMs === 0;
}

function isSameOwners(known: Placed, node: Node): boolean {
  return (
    known.owners.length === node.owners.length && known.owners.every((owner, index) => owner === node.owners[index])
  );
}

function linked(nodes: ReadonlyMap<string, Placed>): Pick<ForestSnapshot, 'nodes' | 'children' | 'roots'> {
  const children = new Map<string, Placed[]>();
  const roots: Placed[] = [];
  for (const node of nodes.values()) {
    const owner = node.owners.find((uid) => nodes.has(uid) && uid !== node.uid);
    if (owner === undefined) roots.push(node);
    else {
      const siblings = children.get(owner);
      if (siblings === undefined) children.set(owner, [node]);
      else siblings.push(node);
    }
  }
  return { nodes, children, roots };
}

/** The same shape with what the nodes say now. */
function relinked(
  before: ForestSnapshot,
  nodes: ReadonlyMap<string, Placed>,
): Pick<ForestSnapshot, 'nodes' | 'children' | 'roots'> {
  return { nodes, children: before.children, roots: before.roots };
}

/** Everything below a node, itself left out: what the garbage collector takes with it. */
export function dependentsOf({ children }: ForestSnapshot, uid: string): Placed[] {
  const found: Placed[] = [];
  const seen = new Set([uid]);
  const queue = [uid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      if (seen.has(child.uid)) continue;
      seen.add(child.uid);
      found.push(child);
      queue.push(child.uid);
    }
  }
  return found;
}

const forests = new Map<string, Forest>();

/** The forest of a namespace, or of everything, now or then. */
export function forestOf(kinds: readonly Kind[], namespace: string | undefined, at: number | undefined): Forest {
  const chosen = forestKinds(kinds, namespace);
  const key = JSON.stringify([namespace ?? '', at ?? 'live', chosen.map(kindId)]);
  let forest = forests.get(key);
  if (forest === undefined) {
    if (forests.size >= 8) forests.delete(forests.keys().next().value!);
    forest = new Forest(chosen, namespace, at);
    forests.set(key, forest);
  }
  return forest;
}
