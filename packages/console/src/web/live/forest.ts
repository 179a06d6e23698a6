import { may } from '../api/access.ts';
import type { ApiError } from '../api/http.ts';
import type { Kind } from '../api/kinds.ts';
import { isBuiltIn, kindId, pathOf } from '../api/kinds.ts';
import type { Phase } from './collection.ts';
import { collectionOf } from './hub.ts';
import { Lineage, type Placed } from './lineage.ts';
import { type Node, nodeReader } from './readers.ts';

export type { Placed } from './lineage.ts';

/** A moment of a forest. Its nodes and links go on to change: what holds for one moment is read when it is told. */
export interface ForestSnapshot {
  readonly nodes: ReadonlyMap<string, Placed>;
  /** Owners' uids to what they own, each under its first owner that is there. */
  readonly children: ReadonlyMap<string, readonly Placed[]>;
  /** Nodes without an owner. */
  readonly roots: readonly Placed[];
  /** Grows when nodes came, went or changed hands: a layout is good for as long as this stays. */
  readonly shape: number;
  /** Uids of the nodes that differ from the snapshot before. */
  readonly changed: ReadonlySet<string>;
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

/** Time for which a deleted node stays visible. */
export const GOING_MS = 1600;

/** While nodes come and go all the time, they are linked and laid out no more often than this. */
const LINK_MS = 120;
const LINK_LOADING_MS = 400;

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
  /** Its items that the forest has. */
  items: readonly Node[];
}

/** Owners and dependents of a namespace, or of everything, from one live collection a kind. */
export class Forest {
  readonly #parts: Part[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #kinds: readonly Kind[];
  readonly #namespace: string | undefined;
  readonly #at: number | undefined;
  #lineage = new Lineage();
  #stops: (() => void)[] = [];
  #snapshot: ForestSnapshot = EMPTY;
  #linkedMs = 0;
  #timer: number | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
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
      const collection = collectionOf('node', { path, reader: nodeReader(kind), at: this.#at, isShared: true });
      const part: Part = { collection, items: [] };
      this.#parts.push(part);
      this.#stops.push(
        collection.subscribe(() => {
          this.#follow(part);
          this.#changed();
        }),
      );
      this.#readAll(part);
    }
    this.#isOpening = false;
    this.#changed();
  }

  #close(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#parts.length = 0;
    // The last snapshot is what the next view shows until there is another.
    this.#lineage = new Lineage(this.#snapshot.shape);
    window.clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Takes over what changed in a collection. */
  #follow(part: Part): void {
    const { changes, items } = part.collection.snapshot();
    if (changes === undefined) {
      this.#readAll(part);
      return;
    }
    for (const { before, after } of changes.values()) {
      if (before !== undefined && before.uid !== after?.uid) this.#lose(before);
      if (after !== undefined) this.#lineage.put(after);
    }
    part.items = items;
  }

  #readAll(part: Part): void {
    const { items } = part.collection.snapshot();
    const uids = new Set(items.map(({ uid }) => uid));
    for (const node of part.items) if (!uids.has(node.uid)) this.#lose(node);
    for (const node of items) this.#lineage.put(node);
    part.items = items;
  }

  /** Nodes that go are seen for a moment longer, unless another moment is shown. */
  #lose({ uid }: Node): void {
    if (this.#at === undefined && this.#snapshot.isComplete) this.#lineage.bury(uid, Date.now());
    else this.#lineage.remove(uid);
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
    const lineage = this.#lineage;
    const nowMs = Date.now();
    lineage.forget(nowMs - GOING_MS);
    if (lineage.hasGone) this.#growIn(GOING_MS / 2);
    const state = this.#state();
    const linkMs = state.isComplete ? LINK_MS : LINK_LOADING_MS;
    const isDue = nowMs - this.#linkedMs >= linkMs || (state.isComplete && !this.#snapshot.isComplete);
    if (lineage.isLoose && isDue) {
      lineage.link();
      this.#linkedMs = nowMs;
    } else if (lineage.isLoose) this.#growIn(linkMs);
    const { nodes, children, roots, shape } = lineage;
    return { nodes, children, roots, shape, changed: lineage.takeChanged(), ...state };
  }

  /** Grows after some time, unless that is planned for before. */
  #growIn(ms: number): void {
    const dueMs = Date.now() + ms;
    if (this.#dueMs <= dueMs) return;
    window.clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = window.setTimeout(() => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#changed();
    }, ms);
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
  changed: new Set(),
  phase: 'loading',
  revision: 0,
  heardMs: 0,
  isComplete: false,
  error: undefined,
};

/** Everything below a node, itself left out: what the garbage collector takes with it. */
export function dependentsOf({ nodes, children }: ForestSnapshot, uid: string): Placed[] {
  const found: Placed[] = [];
  const seen = new Set([uid]);
  const queue = [uid];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      if (seen.has(child.uid)) continue;
      seen.add(child.uid);
      const now = nodes.get(child.uid);
      if (now !== undefined) found.push(now);
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
