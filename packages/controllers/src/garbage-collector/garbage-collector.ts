import { type Runnable, runAll, Turns } from '@pintle/async';
import { type Client, WorkQueue } from '@pintle/client';
import type { KubernetesObject, OwnerReference, ResourceType } from '@pintle/machinery';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { allSettledLimited } from '../common/concurrency.ts';
import { groupKindKey, kindKey, Monitors } from './monitors.ts';
import {
  FOREGROUND,
  type GraphChange,
  type GraphNode,
  isOwner,
  type ObjectIdentity,
  ORPHAN,
  OwnerGraph,
} from './owner-graph.ts';
import { recordWrongNamespace } from './wrong-namespace.ts';

/** Checks the owners of an object, or removes an object from the owners of its dependents; with its uid. */
type Task = `${'check' | 'orphan'} ${string}`;

const WORKERS = 16;
/** Size of the cache of owners that do not exist, which saves a request for each of their dependents. */
const MAX_ABSENT = 500;
/** Events about owners in other namespaces that are recorded per change; an object may have thousands of owners. */
const MAX_EVENTS = 25;
/** Time between two log lines about owners of kinds that are not served: anybody may name thousands of them. */
const LOG_UNSERVED_MS = 60_000;

type OwnerState = 'solid' | 'waiting' | 'absent';

/**
 * Deletes objects whose owners are all gone. Owners that are deleted in the foreground wait for their dependents, and
 * orphaning owners are removed from theirs. Watches the metadata of all deletable resources.
 */
export class GarbageCollector implements Runnable {
  readonly queue: WorkQueue<Task>;
  readonly #manager: Manager;
  readonly #client: Client;
  readonly #graph = new OwnerGraph();
  readonly #monitors: Monitors;
  readonly #absent = new Set<string>();
  /** Shared by the workers, for tasks that await nothing. */
  readonly #turns: Turns;
  /** Failures since the last line about kinds that are not served, and the time of that line. */
  #unserved: { readonly loggedMs: number; more: number } | undefined;

  constructor(manager: Manager) {
    this.#manager = manager;
    this.#client = manager.client.live.metadataOnly();
    this.queue = new WorkQueue({ clock: manager.clock });
    this.#turns = new Turns(manager.clock);
    this.#monitors = Monitors.of(manager);
    this.#monitors.subscribe({
      served: (kinds) => this.#checkAgain(kinds),
      gone: (kinds) => this.#forgetAll(kinds),
      observed: (type, object) => this.#enqueue(this.#graph.observe(type, object)),
      deleted: (type, object) => this.#forget(identify(type, object)),
    });
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const onAbort = (): void => this.queue.close();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const worker = { run: (options: { readonly signal: AbortSignal }) => this.#work(options.signal) };
    try {
      await runAll(
        Array.from({ length: WORKERS }, () => worker),
        { signal },
      );
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.queue.close();
    }
  }

  #enqueue({ check, orphan, wrongNamespace }: GraphChange): void {
    for (const uid of check) this.queue.add(`check ${uid}`);
    for (const uid of orphan) this.queue.add(`orphan ${uid}`);
    for (const { uid, owner } of wrongNamespace.slice(0, MAX_EVENTS)) void this.#recordWrongNamespace(uid, owner);
  }

  #forget(deleted: ObjectIdentity): void {
    const change = this.#graph.forget(deleted);
    if (change === undefined) return;
    this.#cacheAbsent(identityOf(deleted, deleted.namespace));
    this.#enqueue(change);
  }

  async #work(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#monitors.ready, aborted(signal)]);
    for await (const task of this.queue) {
      const turn = this.#turns.next();
      if (turn !== undefined) await turn;
      if (signal.aborted) return;
      try {
        await this.#process(task);
        this.queue.forget(task);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof UnservedKind) {
          this.queue.forget(task);
          this.#logUnserved(task, error);
          continue;
        }
        this.queue.retry(task);
        if (isConflict(error)) continue;
        this.#manager.log.warn('Cannot collect garbage', {
          task,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }

  /**
   * Checks again what names owners of kinds that were not served until now. A task whose owner's kind is not served is not
   * retried: an object may name thousands of such kinds, and nothing changes before discovery finds one of them.
   */
  async #checkAgain(kinds: ReadonlySet<string>): Promise<void> {
    for (const node of this.#graph.nodes()) {
      const turn = this.#turns.next();
      if (turn !== undefined) await turn;
      const isNamed =
        node.type === undefined ? kinds.has(kindKey(node)) : node.owners.some((owner) => kinds.has(kindKey(owner)));
      if (isNamed) this.queue.add(`check ${node.uid}`);
    }
  }

  /** Forgets all objects of kinds that are gone: the watch may have ended before it told of the last. */
  async #forgetAll(kinds: ReadonlySet<string>): Promise<void> {
    for (const node of this.#graph.nodes()) {
      const turn = this.#turns.next();
      if (turn !== undefined) await turn;
      if (!kinds.has(groupKindKey(node))) continue;
      if (node.type === undefined) this.queue.add(`check ${node.uid}`);
      else this.#forget(node);
    }
  }

  #logUnserved(task: Task, { message }: UnservedKind): void {
    const nowMs = this.#manager.clock.monotonic();
    if (this.#unserved !== undefined && nowMs - this.#unserved.loggedMs < LOG_UNSERVED_MS) {
      this.#unserved.more++;
      return;
    }
    const more = this.#unserved?.more ?? 0;
    this.#unserved = { loggedMs: nowMs, more: 0 };
    this.#manager.log.warn('Cannot collect garbage', {
      task,
      error: message,
      ...(more > 0 && { unloggedBefore: more }),
    });
  }

  async #process(task: Task): Promise<void> {
    const [what, uid = ''] = task.split(' ');
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    if (what === 'orphan') await this.#orphan(node);
    else if (node.type === undefined) await this.#verifyOwner(node);
    else if (node.waitsForDependents) await this.#processDeletingDependents(node, node.type);
    else if (!node.isBeingDeleted && node.owners.length > 0) await this.#checkOwners(node, node.type);
  }

  /** Looks up an owner that was never observed. */
  async #verifyOwner(node: GraphNode): Promise<void> {
    const type = this.#typeOf(node);
    if (type === undefined) {
      if (await this.#monitors.isGone(node)) return this.#forget(node);
      throw new UnservedKind(node, this.#nameDependents(node));
    }
    if (type.scope === 'Namespaced' && node.namespace === '') return;
    const found = await this.#client.find(type, { namespace: node.namespace, name: node.name });
    if (found?.metadata.uid === node.uid) return;
    this.#forget(node);
  }

  /** Returns the name of the first dependent and the number of others. */
  #nameDependents({ dependents }: GraphNode): string {
    const [first = ''] = dependents;
    const node = this.#graph.get(first);
    const more = dependents.size > 1 ? ` and ${dependents.size - 1} more` : '';
    return node === undefined ? 'no object' : `${node.kind} ${nameOf(node)}${more}`;
  }

  async #processDeletingDependents({ uid, namespace, name }: GraphNode, type: ResourceType): Promise<void> {
    const blocking = this.#graph.blocking(uid);
    if (blocking.length === 0) await this.#removeFinalizer(type, { namespace, name }, uid, FOREGROUND);
    else
      for (const dependent of blocking)
        if (!this.#graph.get(dependent)?.waitsForDependents) this.queue.add(`check ${dependent}`);
  }

  /** Waits until all monitors are synced: an unknown dependent would lose its owner and be deleted. */
  async #orphan(node: GraphNode): Promise<void> {
    if (!this.#monitors.isSynced) throw new Error('Cannot orphan dependents: not all kinds have been listed');
    const dependents = [...node.dependents].map((uid) => this.#graph.get(uid)).filter((found) => found !== undefined);
    const outcomes = await allSettledLimited(dependents, (dependent) =>
      this.#removeOwners(dependent, (uid) => uid === node.uid),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    if (node.type !== undefined) await this.#removeFinalizer(node.type, node, node.uid, ORPHAN);
  }

  async #checkOwners(node: GraphNode, type: ResourceType): Promise<void> {
    const latest = await this.#client.find(type, node);
    if (latest === undefined || latest.metadata.uid !== node.uid) return this.#forget(node);
    const owners = latest.metadata.ownerReferences ?? [];
    if (owners.length === 0) return;
    const states = await this.#statesOf(owners, node, type);
    const found = new Set(states.values());
    if (found.has('solid')) {
      if (found.size > 1) await this.#removeOwners(node, (uid) => states.get(uid) !== 'solid');
      return;
    }
    if (latest.metadata.deletionTimestamp !== undefined) return;
    const hasWaitingOwner = found.has('waiting') && node.dependents.size > 0;
    if (hasWaitingOwner) await this.#breakCycle(node);
    await this.#delete(type, latest, hasWaitingOwner);
  }

  /**
   * Returns the states of owners by uid. The first of references with the same uid counts. Throws before it looks one
   * up when the kind of any is unknown, and not gone.
   */
  async #statesOf(
    owners: readonly OwnerReference[],
    node: GraphNode,
    type: ResourceType,
  ): Promise<ReadonlyMap<string, OwnerState>> {
    const states = new Map<string, OwnerState>();
    const unknown = new Map<string, { readonly owner: OwnerReference; readonly ownerType: ResourceType }>();
    for (const owner of owners) {
      if (states.has(owner.uid) || unknown.has(owner.uid)) continue;
      const state = this.#knownStateOf(owner, node, type) ?? (await this.#stateOfUnserved(owner, node, type));
      if (typeof state === 'string') states.set(owner.uid, state);
      else unknown.set(owner.uid, { owner, ownerType: state });
    }
    const requests = new Map<string, Promise<KubernetesObject | undefined>>();
    const find = (ownerType: ResourceType, name: string): Promise<KubernetesObject | undefined> => {
      const key = `${ownerType.apiVersion} ${ownerType.kind} ${name}`;
      const found = requests.get(key) ?? this.#client.find(ownerType, { namespace: node.namespace, name });
      requests.set(key, found);
      return found;
    };
    const outcomes = await allSettledLimited([...unknown.values()], async ({ owner, ownerType }) =>
      states.set(owner.uid, this.#stateOf(owner, await find(ownerType, owner.name), node)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return states;
  }

  async #stateOfUnserved(owner: OwnerReference, node: GraphNode, type: ResourceType): Promise<OwnerState> {
    if (!(await this.#monitors.isGone(owner))) throw new UnservedKind(owner, `${type.kind} ${nameOf(node)}`);
    this.#cacheAbsent(identityOf(owner, node.namespace));
    return 'absent';
  }

  /** Returns the state of an owner, or its type when the server has to be asked; `undefined` when its kind is not served. */
  #knownStateOf(owner: OwnerReference, node: GraphNode, type: ResourceType): OwnerState | ResourceType | undefined {
    const known = this.#graph.get(owner.uid);
    if (known?.type !== undefined && isOwner(known, owner, node.namespace))
      return known.waitsForDependents ? 'waiting' : 'solid';
    if (this.#absent.has(identityOf(owner, node.namespace))) return 'absent';
    const ownerType = this.#typeOf(owner);
    if (ownerType === undefined) return undefined;
    return ownerType.scope === 'Namespaced' && type.scope === 'Cluster' ? 'solid' : ownerType;
  }

  #stateOf(owner: OwnerReference, found: KubernetesObject | undefined, node: GraphNode): OwnerState {
    if (found?.metadata.uid === owner.uid) return isWaitingForDependents(found) ? 'waiting' : 'solid';
    this.#cacheAbsent(identityOf(owner, node.namespace));
    return 'absent';
  }

  /** Unblocks one of two objects that wait for each other. */
  async #breakCycle(node: GraphNode): Promise<void> {
    const isCycle = [...node.dependents].some((uid) => this.#graph.get(uid)?.waitsForDependents);
    if (!isCycle) return;
    await this.#patch(node.type!, node, node.uid, ({ ownerReferences = [] }) => ({
      ownerReferences: ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
    }));
  }

  async #delete(type: ResourceType, object: KubernetesObject, isForeground: boolean): Promise<void> {
    const { uid = '', namespace, name = '', finalizers = [] } = object.metadata;
    const propagationPolicy = finalizers.includes(ORPHAN)
      ? 'Orphan'
      : isForeground || finalizers.includes(FOREGROUND)
        ? 'Foreground'
        : 'Background';
    try {
      await this.#client.delete(type, { namespace, name }, { propagationPolicy, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#forget(identify(type, object));
    }
  }

  async #removeOwners(node: GraphNode, isRemoved: (uid: string) => boolean): Promise<void> {
    if (node.type === undefined) return;
    await this.#patch(node.type, node, node.uid, ({ ownerReferences = [] }) => {
      const kept = ownerReferences.filter(({ uid }) => !isRemoved(uid));
      if (kept.length === ownerReferences.length) return undefined;
      return { ownerReferences: kept.length > 0 ? kept : null };
    });
  }

  async #removeFinalizer(
    type: ResourceType,
    ref: { namespace: string; name: string },
    uid: string,
    name: string,
  ): Promise<void> {
    await this.#patch(type, ref, uid, ({ finalizers = [] }) => {
      if (!finalizers.includes(name)) return undefined;
      const kept = finalizers.filter((finalizer) => finalizer !== name);
      return { finalizers: kept.length > 0 ? kept : null };
    });
  }

  /** Patches the metadata of the object with this uid; does nothing when it is gone. */
  async #patch(
    type: ResourceType,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    uid: string,
    change: (metadata: KubernetesObject['metadata']) => object | undefined,
  ): Promise<void> {
    const current = await this.#client.find(type, { namespace, name });
    if (current === undefined || current.metadata.uid !== uid) return;
    const changed = change(current.metadata);
    if (changed === undefined) return;
    const { resourceVersion } = current.metadata;
    const body = { metadata: { uid, resourceVersion, ...changed } };
    await this.#client.patch(type, { namespace, name }, { type: 'merge', body }).catch(ignoring(isNotFound));
  }

  async #recordWrongNamespace(uid: string, owner: OwnerReference): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    try {
      await recordWrongNamespace(this.#manager, node, owner);
    } catch (error) {
      this.#manager.log.warn('Cannot record owner in another namespace', { error: String(error) });
    }
  }

  #typeOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ResourceType | undefined {
    return this.#monitors.typeOf(apiVersion, kind);
  }

  #cacheAbsent(identity: string): void {
    this.#absent.add(identity);
    if (this.#absent.size > MAX_ABSENT) this.#absent.delete(this.#absent.values().next().value!);
  }
}

/** An owner cannot be looked up before its kind is served. */
class UnservedKind extends Error {
  constructor({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }, owned: string) {
    super(`Cannot check owner of ${owned}: kind ${apiVersion} ${kind} is not served`);
  }
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Key of an owner as referenced: the same uid with another kind or name is another owner. */
function identityOf({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  return `${apiVersion} ${kind} ${namespace}/${name} ${uid}`;
}

function identify(type: ResourceType, { metadata }: KubernetesObject): ObjectIdentity {
  const { uid = '', name = '', namespace = '' } = metadata;
  return { uid, name, namespace, apiVersion: type.apiVersion, kind: type.kind, type };
}

function isWaitingForDependents({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(FOREGROUND) ?? false);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
