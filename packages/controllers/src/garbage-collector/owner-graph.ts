import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** Identity of an object. */
export interface ObjectIdentity {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for cluster-scoped objects. For an owner that was never observed, the namespace of its dependents. */
  readonly namespace: string;
  /** Absent until the object itself is observed. */
  readonly type: ResourceType | undefined;
}

/** An object in the graph. */
export interface GraphNode extends ObjectIdentity {
  readonly owners: readonly OwnerReference[];
  readonly dependents: Set<string>;
  readonly isBeingDeleted: boolean;
  /** Has the foreground finalizer, and waits until its dependents are gone. */
  readonly waitsForDependents: boolean;
  readonly isOrphaning: boolean;
}

/** Objects to process after a change of the graph, by uid. */
export interface GraphChange {
  /** Objects whose owners have to be checked. */
  readonly check: readonly string[];
  /** Objects whose dependents are to be orphaned. */
  readonly orphan: readonly string[];
  /** Objects that refer to an owner in another namespace. */
  readonly wrongNamespace: readonly { readonly uid: string; readonly owner: OwnerReference }[];
}

/** Graph of owners and dependents. Owners that were not observed yet are in it too, without a type. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();

  get size(): number {
    return this.#nodes.size;
  }

  /** Returns all objects; the graph may change meanwhile. */
  nodes(): IterableIterator<GraphNode> {
    return this.#nodes.values();
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Adds or updates an object. */
  observe(type: ResourceType, { metadata }: KubernetesObject): GraphChange {
    const { uid = '', name = '', namespace = '', ownerReferences = [], finalizers = [], deletionTimestamp } = metadata;
    const before = this.#nodes.get(uid);
    const isBeingDeleted = deletionTimestamp !== undefined;
    const node: GraphNode = {
      uid,
      type,
      apiVersion: type.apiVersion,
      kind: type.kind,
      name,
      namespace,
      owners: ownerReferences,
      dependents: before?.dependents ?? new Set(),
      isBeingDeleted,
      waitsForDependents: isBeingDeleted && finalizers.includes(FOREGROUND),
      isOrphaning: isBeingDeleted && finalizers.includes(ORPHAN),
    };
    this.#nodes.set(uid, node);
    const check = new Set<string>();
    const wrongNamespace = this.#link(node, before, check);
    if (node.waitsForDependents && !before?.waitsForDependents) {
      check.add(uid);
      for (const dependent of node.dependents) check.add(dependent);
    }
    if (before?.type === undefined)
      for (const dependent of node.dependents) {
        const other = this.#nodes.get(dependent);
        const reference = other?.owners.find((owner) => owner.uid === uid);
        if (other !== undefined && reference !== undefined) this.#verify(other, reference, node, check, wrongNamespace);
      }
    const isNewlyOrphaning = node.isOrphaning && !before?.isOrphaning;
    return { check: [...check], orphan: isNewlyOrphaning ? [uid] : [], wrongNamespace };
  }

  /**
   * Removes an object that is gone, or an owner that does not exist. Returns `undefined` when the graph has another
   * object with that uid: a wrong reference does not remove it.
   */
  forget(deleted: ObjectIdentity): GraphChange | undefined {
    const node = this.#nodes.get(deleted.uid);
    if (node === undefined || !isSameObject(node, deleted)) return undefined;
    this.#nodes.delete(node.uid);
    const check = new Set(node.dependents);
    for (const { uid: owner } of node.owners) this.#unlink(owner, node.uid, check);
    return { check: [...check], orphan: [], wrongNamespace: [] };
  }

  /** Returns the dependents that block the deletion of an owner. */
  blocking(uid: string): string[] {
    const { dependents = new Set<string>() } = this.#nodes.get(uid) ?? {};
    return [...dependents].filter((dependent) => blockedBy(this.#nodes.get(dependent)?.owners ?? []).has(uid));
  }

  #link(node: GraphNode, before: GraphNode | undefined, check: Set<string>): { uid: string; owner: OwnerReference }[] {
    const wrongNamespace: { uid: string; owner: OwnerReference }[] = [];
    const known = new Map((before?.owners ?? []).map((owner) => [owner.uid, owner]));
    const linked = new Set<string>();
    for (const reference of node.owners) {
      if (linked.has(reference.uid)) continue;
      linked.add(reference.uid);
      const previous = known.get(reference.uid);
      known.delete(reference.uid);
      const owner = this.#nodes.get(reference.uid) ?? this.#addUnobserved(reference, node.namespace);
      owner.dependents.add(node.uid);
      if (previous !== undefined) {
        if (previous.blockOwnerDeletion && !reference.blockOwnerDeletion && owner.waitsForDependents)
          check.add(owner.uid);
        continue;
      }
      if (owner.type === undefined) check.add(owner.uid);
      else this.#verify(node, reference, owner, check, wrongNamespace);
    }
    for (const { uid } of known.values()) this.#unlink(uid, node.uid, check);
    return wrongNamespace;
  }

  /** Checks a dependent whose owner is being deleted or is not the one that it refers to. */
  #verify(
    { uid, namespace }: GraphNode,
    reference: OwnerReference,
    owner: GraphNode,
    check: Set<string>,
    wrongNamespace: { uid: string; owner: OwnerReference }[],
  ): void {
    if (owner.waitsForDependents) check.add(uid);
    if (isOwner(owner, reference, namespace)) return;
    check.add(uid);
    if (owner.type?.scope === 'Namespaced' && owner.namespace !== namespace)
      wrongNamespace.push({ uid, owner: reference });
  }

  #addUnobserved({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): GraphNode {
    const state = { isBeingDeleted: false, waitsForDependents: false, isOrphaning: false };
    const node = {
      uid,
      apiVersion,
      kind,
      name,
      namespace,
      type: undefined,
      owners: [],
      dependents: new Set<string>(),
      ...state,
    };
    this.#nodes.set(uid, node);
    return node;
  }

  #unlink(owner: string, dependent: string, check: Set<string>): void {
    const node = this.#nodes.get(owner);
    if (node === undefined) return;
    node.dependents.delete(dependent);
    if (node.waitsForDependents) check.add(owner);
    if (node.type === undefined && node.dependents.size === 0) this.#nodes.delete(owner);
  }
}

function isSameObject(node: GraphNode, other: ObjectIdentity): boolean {
  const isSeen = node.type !== undefined && other.type !== undefined;
  return node === other || (isSeen && isOwner(node, other, other.namespace) && node.namespace === other.namespace);
}

/**
 * True when a reference from an object in `namespace` refers to this object. The version of the kind does not matter.
 */
export function isOwner(
  node: GraphNode,
  { apiVersion, kind, name }: Omit<OwnerReference, 'uid'>,
  namespace: string,
): boolean {
  const isSame = node.kind === kind && node.name === name && groupOf(node.apiVersion) === groupOf(apiVersion);
  return isSame && (node.namespace === '' || node.namespace === namespace);
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

const BLOCKED = new WeakMap<readonly OwnerReference[], ReadonlySet<string>>();

/**
 * Returns the uids of owners that these references block. Cached, because all dependents are visited whenever one is
 * deleted.
 */
function blockedBy(owners: readonly OwnerReference[]): ReadonlySet<string> {
  const known = BLOCKED.get(owners);
  if (known !== undefined) return known;
  const blocked = new Set(owners.flatMap(({ uid, blockOwnerDeletion }) => (blockOwnerDeletion ? [uid] : [])));
  BLOCKED.set(owners, blocked);
  return blocked;
}
