import type { Clock } from '@pintle/async';
import {
  addFinalizer,
  type CachedClient,
  type CacheListOptions,
  type Client,
  type Configuration,
  hasFinalizer,
  type ObjectRef,
  type RefOf,
  removeFinalizer,
} from '@pintle/client';
import type { Cached, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import { isInvalid } from '@pintle/machinery/errors';
import type { Log } from '../controller/controller.ts';
import type { Reason } from '../controller/reason.ts';
import type { ReconcileScope, RequestScope } from '../controller/reconcile-scope.ts';
import { type RequestOf, type Result, requestKey } from '../controller/request.ts';
import { OperatorError } from '../errors.ts';
import { digestOf, type Saying } from './applied-memory.ts';
import type { Followed } from './follows.ts';
import type { ObjectDependencies } from './object-reconciler.ts';
import {
  BY_OWNER,
  type ChildPlace,
  checkUnclaimed,
  nameOf,
  type Owner,
  placeOf,
  type Tie,
  tied,
  tieOf,
} from './ownership.ts';
import { type SaidCondition, StatusDraft, type StatusEdit, type StatusOf, type StatusPatch } from './status-draft.ts';

export interface ChildOptions {
  /** Default: the object controls the child where Kubernetes allows it, and labels it where not. */
  readonly tie?: Tie;
  /** Take fields that others own. Default: true, for a controller that gives way to another has nothing to do. */
  readonly force?: boolean;
}

/** What a reconcile does for its object. */
export class ReconcileContext<T extends KubernetesObject, S extends Scope = Scope> implements ReconcileScope<S> {
  readonly #scope: RequestScope;
  readonly #dependencies: ObjectDependencies<T>;
  /** As the reconcile was given it. */
  readonly #object: Stored<T>;
  /** The newest that is known; `undefined` when it is gone. */
  #latest: T | undefined;
  #draft: StatusDraft | undefined;
  #applied: ChildPlace[] | undefined;
  #followed: Set<Followed> | undefined;
  #asOwner: Owner<T> | undefined;
  /** Calls that have begun and not ended. */
  #begun: Map<() => string, Promise<unknown>> | undefined;

  constructor(scope: RequestScope, dependencies: ObjectDependencies<T>, object: Stored<T>) {
    this.#scope = scope;
    this.#dependencies = dependencies;
    this.#object = object;
    this.#latest = object;
  }

  get request(): RequestOf<S> {
    return this.#scope.request as RequestOf<S>;
  }

  /** Reads from caches, and reads what it wrote. */
  get client(): CachedClient {
    return this.#scope.client;
  }

  /** Reads from the server. */
  get live(): Client {
    return this.#scope.live;
  }

  get clock(): Clock {
    return this.#scope.clock;
  }

  get log(): Log {
    return this.#scope.log;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get failures(): number {
    return this.#scope.failures;
  }

  get reasons(): readonly Reason[] {
    return this.#scope.reasons;
  }

  get reconcileId(): string {
    return this.#scope.reconcileId;
  }

  requeue(afterMs: number): void {
    this.#scope.requeue(afterMs);
  }

  /** From the cache, where the kind is owned, watched or followed. A name alone is one of the object's namespace. */
  get<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ref: RefOf<CS> | string,
  ): Promise<Cached<C, CS>> {
    return this.client.get(type, this.#refOf(type, ref), { signal: this.signal });
  }

  /** `undefined` where there is no such object. */
  find<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ref: RefOf<CS> | string,
  ): Promise<Cached<C, CS> | undefined> {
    return this.client.find(type, this.#refOf(type, ref), { signal: this.signal });
  }

  list<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    options: CacheListOptions<NoInfer<C>> = {},
  ): Promise<Cached<C, CS>[]> {
    return this.client.list(type, { ...options, signal: this.signal });
  }

  /** The children of an owned kind that the object controls, or labelled. */
  async children<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
  ): Promise<Cached<C, CS>[]> {
    return await this.client.list(type, { index: BY_OWNER.is(this.#object.metadata.uid) });
  }

  /**
   * Reads an object, and has this one looked after when that one changes, until a reconcile that goes well does not
   * follow it again. Its kind is watched in its namespace while somebody does.
   */
  async follow<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ref: RefOf<CS> | string,
  ): Promise<Cached<C, CS> | undefined> {
    const place = this.#refOf(type, ref);
    const followed = await this.#dependencies.follows.follow(this.request, type, place, this.signal);
    this.#followed ??= new Set();
    this.#followed.add(followed);
    return await this.client.find(type, place, { signal: this.signal });
  }

  /** Whether an optional kind is served now. */
  isServed(type: ResourceType): boolean {
    return this.#dependencies.informers.findEach(type) !== undefined;
  }

  /**
   * Server-side apply of a child: it is created or made to agree, in the object's namespace unless it says otherwise,
   * and tied to the object. Nothing is sent when nothing would change, which is known of kinds that are cached.
   * Gives the child as it is then; it is shared: look, never write. A reconcile that ends before it fails.
   */
  apply<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    configuration: Configuration<NoInfer<C>>,
    options: ChildOptions = {},
  ): Promise<Cached<C, CS>> {
    return this.#begin(
      () => `ctx.apply of ${nameOf(type, configuration.metadata as { namespace?: string; name: string })}`,
      this.#apply<C, CS>(type, configuration, options),
    );
  }

  async #apply<C extends KubernetesObject, CS extends Scope>(
    type: ResourceType<C, CS>,
    configuration: Configuration<C>,
    { tie: asked, force = true }: ChildOptions,
  ): Promise<Cached<C, CS>> {
    const owner = this.#owner;
    const { memory, informers } = this.#dependencies;
    const place = placeOf(owner, type, configuration.metadata);
    const tie = tieOf(owner, place, asked);
    this.#applied ??= [];
    this.#applied.push(place);
    const informer = informers.find(type, place.namespace);
    if (informer !== undefined && !informer.isSynced) await informer.synced;
    const present = informer?.cache.get(place as unknown as RefOf<CS>);
    const saying = { owner: this.#object.metadata.uid, tie, digest: digestOf(configuration) };
    if (present !== undefined && memory.isConfirmed(saying, present)) return present;
    const sent = tied<C>(owner, place, configuration, tie);
    return await this.#applyUnless<C, CS>({ ...place, type }, saying, present, sent, force);
  }

  async #applyUnless<C extends KubernetesObject, CS extends Scope>(
    place: ChildPlace<C> & { readonly type: ResourceType<C, CS> },
    saying: Saying & { readonly tie: Tie },
    present: Cached<C, CS> | undefined,
    sent: Configuration<C>,
    force: boolean,
  ): Promise<Cached<C, CS>> {
    const { memory } = this.#dependencies;
    const [request, key] = [requestKey(this.request), childKey(place)];
    if (present !== undefined) {
      checkUnclaimed(this.#owner, place.type, present, saying.tie);
      if (memory.isSaid(request, key, saying, present, () => sent)) return present;
    }
    const { controller: fieldManager } = this.#scope;
    memory.doubt(request, key, present);
    const answer = await this.client.apply(place.type, sent, { fieldManager, force, signal: this.signal });
    if (!isGoing(answer)) memory.remember(request, key, saying, answer);
    return answer;
  }

  /**
   * Deletes the children of the kinds that the controller owns, or of one of them, that this reconcile has not applied.
   * Gives what it deleted. Call it when everything that is wanted has been applied.
   */
  prune<C extends KubernetesObject = KubernetesObject>(type?: ResourceType<C>): Promise<KubernetesObject[]> {
    return this.#begin(() => 'ctx.prune', this.#prune(type));
  }

  async #prune(type?: ResourceType): Promise<KubernetesObject[]> {
    const pruned: KubernetesObject[] = [];
    const wanted = new Set(this.#applied?.map(childKey));
    const kinds = this.#dependencies.owned.filter((owned) => type === undefined || isSameKind(owned, type));
    for (const kind of kinds) {
      this.#dependencies.declare(kind, ['delete']);
      if (!this.isServed(kind)) continue;
      const gone = (await this.children(kind)).filter((child) => !isGoing(child) && !wanted.has(keyOf(kind, child)));
      await Promise.all(gone.map((child) => this.client.delete(kind, child, { propagationPolicy: 'Background' })));
      pruned.push(...gone);
    }
    return pruned;
  }

  /** Said at the end of the reconcile, once and only if it is news, also when the reconcile fails. */
  status(change: StatusPatch<StatusOf<T>> | StatusEdit<StatusOf<T>>): void {
    this.#draft ??= new StatusDraft();
    this.#draft.add(change as StatusEdit<object>);
  }

  /** One condition of the status. Its transition time changes only with its status. */
  condition(condition: SaidCondition): void {
    this.#draft ??= new StatusDraft();
    this.#draft.add({ conditions: [condition] });
  }

  /** Tells people what happened to the object. Never fails, and never waits. */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#dependencies.events.record(this.#dependencies.type, this.#latest ?? this.#object, { type, reason, message });
  }

  /**
   * Holds the object until `clean` has run. Call it before anything that `clean` has to undo:
   *
   *     if (await ctx.finalize('example.com/copies', () => removeCopies())) return;
   *
   * True: the object is being deleted, and there is nothing more to do for it. What `clean` gives with a
   * `requeueAfterMs` means that it is not ready: it runs again.
   */
  finalize(finalizer: string, clean: () => Promise<Result | undefined | void>): Promise<boolean> {
    return this.#begin(() => `ctx.finalize of ${finalizer}`, this.#finalize(finalizer, clean));
  }

  async #finalize(finalizer: string, clean: () => Promise<Result | undefined | void>): Promise<boolean> {
    if (this.#latest === undefined) return true;
    if (!this.#latest.metadata.deletionTimestamp) return !(await this.#hold(this.#latest, finalizer));
    if (!hasFinalizer(this.#latest, finalizer)) return true;
    const { requeueAfterMs } = (await clean()) ?? {};
    if (requeueAfterMs !== undefined) this.requeue(requeueAfterMs);
    else this.#latest = await removeFinalizer(this.#edits, this.#dependencies.type, this.#latest, finalizer);
    return true;
  }

  /**
   * Throws an `OperatorError` where something that the reconcile began goes on after it, which happens when an `await`
   * is missing; what goes on is waited for first. `undefined`: nothing does.
   */
  checkAwaited(): Promise<never> | undefined {
    return this.#begun === undefined || this.#begun.size === 0 ? undefined : this.#complain(this.#begun);
  }

  async #complain(begun: ReadonlyMap<() => string, Promise<unknown>>): Promise<never> {
    const calls = [...begun.keys()].map((describe) => describe());
    const ends = await Promise.allSettled(begun.values());
    const cause: unknown = ends.find((end) => end.status === 'rejected')?.reason;
    const object = nameOf(this.#dependencies.type, this.#object.metadata);
    throw new OperatorError({ code: 'NotAwaited', object, calls }, cause === undefined ? {} : { cause });
  }

  /** Nobody but the caller handles its failure: one that nobody handles is heard of. */
  #begin<R>(describe: () => string, work: Promise<R>): Promise<R> {
    this.#begun ??= new Map();
    const begun = this.#begun;
    const ended = work.finally(() => begun.delete(describe));
    begun.set(describe, ended);
    return ended;
  }

  /** Ends the reconcile: writes its status and lets go of what it did not follow. `undefined`: it is done. */
  settle({ isFailed }: { readonly isFailed: boolean }): Promise<void> | undefined {
    if (!isFailed) this.#dependencies.follows.keep(this.request, this.#followed);
    if (this.#draft === undefined || this.#latest === undefined || this.#scope.stop.aborted) return undefined;
    return this.#dependencies.statuses.write({
      client: this.client,
      object: this.#latest,
      draft: this.#draft,
      generation: this.#object.metadata.generation,
      nowMs: this.clock.now(),
    });
  }

  get #owner(): Owner<T> {
    this.#asOwner ??= { type: this.#dependencies.type, object: this.#object };
    return this.#asOwner;
  }

  /** Reads from the server, for whoever was refused a write must not look at a cache; notes what it writes. */
  get #edits(): Parameters<typeof addFinalizer>[0] {
    const { live, client } = this;
    return { find: live.find.bind(live), patch: client.patch.bind(client) as typeof live.patch };
  }

  /** False: it is gone, or being deleted, which the cache did not know yet. */
  async #hold(object: T, finalizer: string): Promise<boolean> {
    if (hasFinalizer(object, finalizer)) return true;
    try {
      this.#latest = await addFinalizer(this.#edits, this.#dependencies.type, object, finalizer);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      const fresh = await this.live.find(this.#dependencies.type, this.#scope.request);
      if (fresh !== undefined && !fresh.metadata.deletionTimestamp) throw error;
      this.#latest = fresh;
      return false;
    }
    return this.#latest !== undefined && !this.#latest.metadata.deletionTimestamp;
  }

  #refOf<CS extends Scope>(type: ResourceType<KubernetesObject, CS>, ref: RefOf<CS> | string): RefOf<CS> {
    // A field that the compiler takes for a name may be missing in an object from before a schema's last change.
    if (!(typeof ref === 'string' ? ref : ref?.name))
      throw new TypeError(`Cannot find a ${type.kind}: no name is given, but ${JSON.stringify(ref) ?? 'undefined'}`);
    if (typeof ref !== 'string') return ref;
    const place: ObjectRef =
      type.scope === 'Cluster' ? { name: ref } : { namespace: this.#object.metadata.namespace, name: ref };
    return place as RefOf<CS>;
  }
}

function childKey({ type, namespace = '', name }: ChildPlace): string {
  return `${type.group} ${type.kind} ${namespace}/${name}`;
}

function keyOf(type: ResourceType, { metadata: { namespace, name = '' } }: KubernetesObject): string {
  return childKey({ type, namespace, name });
}

function isGoing({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isSameKind(a: ResourceType, b: ResourceType): boolean {
  return a.kind === b.kind && a.group === b.group;
}
