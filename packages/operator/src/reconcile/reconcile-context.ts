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
import { checkedResult, type RequestOf, type Result, requestKey } from '../controller/request.ts';
import { OperatorError } from '../errors.ts';
import { currentRecording } from '../telemetry/recording.ts';
import { type AppliedConfiguration, digestOf } from './apply-cache.ts';
import type { FollowedObject } from './followed-objects.ts';
import type { ObjectDependencies } from './object-reconciler.ts';
import {
  BY_OWNER,
  type ChildRef,
  checkUnclaimed,
  childRefOf,
  nameOf,
  type Owner,
  type OwnerReferenceMode,
  ownerReferenceMode,
  withOwner,
} from './ownership.ts';
import { type ConditionUpdate, StatusDraft, type StatusEdit, type StatusOf, type StatusPatch } from './status-draft.ts';

export interface ChildOptions {
  /** Default: `controller` where Kubernetes allows it, otherwise `label`. */
  readonly ownerReference?: OwnerReferenceMode;
  /** True takes over fields that other managers own. Default: true, as is usual for controllers. */
  readonly force?: boolean;
}

/** Context of a reconcile, with the operations on its object and its children. */
export class ReconcileContext<T extends KubernetesObject, S extends Scope = Scope> implements ReconcileScope<S> {
  readonly #scope: RequestScope;
  readonly #dependencies: ObjectDependencies<T>;
  /** Object that was passed to the reconcile. */
  readonly #object: Stored<T>;
  /** Newest known state; `undefined` when it is gone. */
  #latest: T | undefined;
  #draft: StatusDraft | undefined;
  #applied: ChildRef[] | undefined;
  #followed: Set<FollowedObject> | undefined;
  #asOwner: Owner<T> | undefined;
  /** Calls that have not ended. */
  #running: Map<() => string, Promise<unknown>> | undefined;

  constructor(scope: RequestScope, dependencies: ObjectDependencies<T>, object: Stored<T>) {
    this.#scope = scope;
    this.#dependencies = dependencies;
    this.#object = object;
    this.#latest = object;
  }

  get request(): RequestOf<S> {
    return this.#scope.request as RequestOf<S>;
  }

  /** Reads from caches, including its own writes. */
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

  get shard(): ReconcileScope['shard'] {
    return this.#scope.shard;
  }

  requeue(afterMs: number): void {
    this.#scope.requeue(afterMs);
  }

  /** Reads from the cache when the kind is owned, watched or followed. A name alone is in the object's namespace. */
  get<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ref: RefOf<CS> | string,
  ): Promise<Cached<C, CS>> {
    return this.client.get(type, this.#refOf(type, ref), { signal: this.signal });
  }

  /** Resolves with `undefined` when the object does not exist. */
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

  /** Returns the children of an owned kind: those that the object controls, and those with its label. */
  async children<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
  ): Promise<Cached<C, CS>[]> {
    return await this.client.list(type, { index: BY_OWNER.is(this.#object.metadata.uid) });
  }

  /**
   * Reads an object, and reconciles this one when that one changes, until a successful reconcile does not follow it again.
   * Its kind is watched in its namespace meanwhile.
   */
  async follow<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    ref: RefOf<CS> | string,
  ): Promise<Cached<C, CS> | undefined> {
    const object = this.#refOf(type, ref);
    const followed = await this.#dependencies.follows.follow(this.request, type, object, this.signal);
    this.#followed ??= new Set();
    this.#followed.add(followed);
    return await this.client.find(type, object, { signal: this.signal });
  }

  /** True while an optional kind is served. */
  isServed(type: ResourceType): boolean {
    return this.#dependencies.informers.findEach(type) !== undefined;
  }

  /**
   * Server-side apply of a child, by default in the object's namespace and with an owner reference to the object. Sends
   * nothing when nothing would change, which is known for cached kinds. Resolves with the child, which is shared: do not
   * change it. The reconcile fails when it ends before the apply.
   */
  apply<C extends KubernetesObject, CS extends Scope = Scope>(
    type: ResourceType<C, CS>,
    configuration: Configuration<NoInfer<C>>,
    options: ChildOptions = {},
  ): Promise<Cached<C, CS>> {
    return this.#track(
      () => `ctx.apply of ${nameOf(type, configuration.metadata as { namespace?: string; name: string })}`,
      this.#apply<C, CS>(type, configuration, options),
    );
  }

  async #apply<C extends KubernetesObject, CS extends Scope>(
    type: ResourceType<C, CS>,
    configuration: Configuration<C>,
    { ownerReference, force = true }: ChildOptions,
  ): Promise<Cached<C, CS>> {
    const owner = this.#owner;
    const { applyCache, informers } = this.#dependencies;
    const child = childRefOf(owner, type, configuration.metadata);
    const mode = ownerReferenceMode(owner, child, ownerReference);
    this.#applied ??= [];
    this.#applied.push(child);
    const informer = informers.find(type, child.namespace);
    if (informer !== undefined && !informer.isSynced) await informer.synced;
    const present = informer?.cache.get(child as unknown as RefOf<CS>);
    const applied = { owner: this.#object.metadata.uid, mode, digest: digestOf(configuration) };
    if (present !== undefined && applyCache.isConfirmed(applied, present)) {
      currentRecording()?.suppressed('apply', type, child);
      return present;
    }
    const sent = withOwner<C>(owner, child, configuration, mode);
    return await this.#applyIfNeeded<C, CS>({ ...child, type }, applied, present, sent, force);
  }

  async #applyIfNeeded<C extends KubernetesObject, CS extends Scope>(
    child: ChildRef<C> & { readonly type: ResourceType<C, CS> },
    applied: AppliedConfiguration & { readonly mode: OwnerReferenceMode },
    present: Cached<C, CS> | undefined,
    sent: Configuration<C>,
    force: boolean,
  ): Promise<Cached<C, CS>> {
    const { applyCache } = this.#dependencies;
    const [request, key] = [requestKey(this.request), childKey(child)];
    if (present !== undefined) {
      checkUnclaimed(this.#owner, child.type, present, applied.mode);
      if (applyCache.isUpToDate(request, key, applied, present, () => sent)) {
        currentRecording()?.suppressed('apply', child.type, child);
        return present;
      }
    }
    const { controller: fieldManager } = this.#scope;
    applyCache.invalidate(request, key, present);
    const response = await this.client.apply(child.type, sent, { fieldManager, force, signal: this.signal });
    if (!isTerminating(response)) applyCache.remember(request, key, applied, response);
    return response;
  }

  /**
   * Deletes the children of the owned kinds, or of one of them, that this reconcile has not applied. Resolves with the
   * deleted children. Call it after all applies.
   */
  prune<C extends KubernetesObject = KubernetesObject>(type?: ResourceType<C>): Promise<KubernetesObject[]> {
    return this.#track(() => 'ctx.prune', this.#prune(type));
  }

  async #prune(type?: ResourceType): Promise<KubernetesObject[]> {
    const pruned: KubernetesObject[] = [];
    const wanted = new Set(this.#applied?.map(childKey));
    const kinds = this.#dependencies.owned.filter((owned) => type === undefined || isSameKind(owned, type));
    for (const kind of kinds) {
      this.#dependencies.declare(kind, ['delete']);
      if (!this.isServed(kind)) continue;
      const gone = (await this.children(kind)).filter(
        (child) => !isTerminating(child) && !wanted.has(keyOf(kind, child)),
      );
      await Promise.all(gone.map((child) => this.client.delete(kind, child, { propagationPolicy: 'Background' })));
      pruned.push(...gone);
    }
    return pruned;
  }

  /** Changes the status. It is written once, at the end of the reconcile, also when that fails, and only if it differs. */
  status(change: StatusPatch<StatusOf<T>> | StatusEdit<StatusOf<T>>): void {
    this.#draft ??= new StatusDraft();
    this.#draft.add(change as StatusEdit<object>);
  }

  /** Sets a condition of the status. Its transition time changes only with its status. */
  condition(condition: ConditionUpdate): void {
    this.#draft ??= new StatusDraft();
    this.#draft.add({ conditions: [condition] });
  }

  /** Records an event of the object. Neither fails nor waits. */
  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#dependencies.events.record(this.#dependencies.type, this.#latest ?? this.#object, { type, reason, message });
  }

  /**
   * Adds a finalizer, and removes it once `clean` has run. Call it before anything that `clean` has to undo:
   *
   *     if (await ctx.finalize('example.com/copies', () => removeCopies())) return;
   *
   * Resolves with true when the object is being deleted, and the reconcile should return. When `clean` returns a
   * `requeueAfterMs`, it is not done, and runs again.
   */
  finalize(finalizer: string, clean: () => Promise<Result | undefined | void>): Promise<boolean> {
    return this.#track(() => `ctx.finalize of ${finalizer}`, this.#finalize(finalizer, clean));
  }

  async #finalize(finalizer: string, clean: () => Promise<Result | undefined | void>): Promise<boolean> {
    if (this.#latest === undefined) return true;
    if (!this.#latest.metadata.deletionTimestamp) return !(await this.#ensureFinalizer(this.#latest, finalizer));
    if (!hasFinalizer(this.#latest, finalizer)) return true;
    const { requeueAfterMs } = checkedResult(await clean()) ?? {};
    if (requeueAfterMs !== undefined) this.requeue(requeueAfterMs);
    else this.#latest = await removeFinalizer(this.#editor, this.#dependencies.type, this.#latest, finalizer);
    return true;
  }

  /**
   * Rejects with an `OperatorError` when calls of the reconcile are still running, because an `await` is missing; waits for
   * them first. Returns `undefined` when none is running.
   */
  checkAwaited(): Promise<never> | undefined {
    return this.#running === undefined || this.#running.size === 0 ? undefined : this.#failUnawaited(this.#running);
  }

  async #failUnawaited(running: ReadonlyMap<() => string, Promise<unknown>>): Promise<never> {
    const calls = [...running.keys()].map((describe) => describe());
    const ends = await Promise.allSettled(running.values());
    const cause: unknown = ends.find((end) => end.status === 'rejected')?.reason;
    const object = nameOf(this.#dependencies.type, this.#object.metadata);
    throw new OperatorError({ code: 'NotAwaited', object, calls }, cause === undefined ? {} : { cause });
  }

  /** Tracks a call. Leaves its rejection to the caller: one that is not awaited is an unhandled rejection. */
  #track<R>(describe: () => string, work: Promise<R>): Promise<R> {
    this.#running ??= new Map();
    const running = this.#running;
    const ended = work.finally(() => running.delete(describe));
    running.set(describe, ended);
    return ended;
  }

  /** Completes the reconcile: writes its status, and drops what it did not follow. Returns `undefined` when nothing is written. */
  finish({ isFailed }: { readonly isFailed: boolean }): Promise<void> | undefined {
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

  /** Reads from the server, because the cache may be stale after a conflict; writes through the cached client. */
  get #editor(): Parameters<typeof addFinalizer>[0] {
    const { live, client } = this;
    return { find: live.find.bind(live), patch: client.patch.bind(client) as typeof live.patch };
  }

  /** Resolves with false when the object is gone or being deleted, and the cache did not have that yet. */
  async #ensureFinalizer(object: T, finalizer: string): Promise<boolean> {
    if (hasFinalizer(object, finalizer)) return true;
    try {
      this.#latest = await addFinalizer(this.#editor, this.#dependencies.type, object, finalizer);
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
    // A name field may be missing in an object that was stored before the schema changed.
    if (!(typeof ref === 'string' ? ref : ref?.name))
      throw new TypeError(
        `Cannot find a ${type.kind}: the name is missing (got ${JSON.stringify(ref) ?? 'undefined'})`,
      );
    if (typeof ref !== 'string') return ref;
    const object: ObjectRef =
      type.scope === 'Cluster' ? { name: ref } : { namespace: this.#object.metadata.namespace, name: ref };
    return object as RefOf<CS>;
  }
}

function childKey({ type, namespace = '', name }: ChildRef): string {
  return `${type.group} ${type.kind} ${namespace}/${name}`;
}

function keyOf(type: ResourceType, { metadata: { namespace, name = '' } }: KubernetesObject): string {
  return childKey({ type, namespace, name });
}

function isTerminating({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isSameKind(a: ResourceType, b: ResourceType): boolean {
  return a.kind === b.kind && a.group === b.group;
}
