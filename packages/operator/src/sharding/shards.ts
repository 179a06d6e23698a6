import { type Clock, onAbort, type Runnable } from '@pintle/async';
import { type CachedClient, Informer, type SharedInformers, type SlotSource } from '@pintle/client';
import { Lease } from '@pintle/kinds/coordination/v1';
import { ConfigMap } from '@pintle/kinds/core/v1';
import type { ObjectMeta, ResourceType } from '@pintle/machinery';
import { isAlreadyExists, isConflict } from '@pintle/machinery/errors';
import {
  formatShardMap,
  parseShardMap,
  SHARD_MAP_KEY,
  SHARD_MAP_LABEL,
  type ShardField,
  type ShardSlot,
  shardHash,
  shardSlot,
} from '@pintle/machinery/selectors';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import { type Request, requestKey } from '../controller/request.ts';
import { MEMBER_LABEL, MemberLease, Members, type MemberTiming } from './members.ts';
import { emptyMap, nextMap } from './plan-moves.ts';
import { ShardedKinds } from './sharded-kinds.ts';
import { Tenure } from './tenure.ts';

export interface ShardsDependencies {
  readonly name: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly client: () => CachedClient;
  readonly informers: () => SharedInformers;
  readonly isLeader: () => boolean;
  /** Enqueues the main objects of slots that this process has got. */
  readonly enqueue: (slots: ReadonlySet<number>) => void;
  /** Returns a slot for each request that must be done before its slot is handed over. */
  readonly owed: (slots: ReadonlySet<number>) => readonly number[];
}

/** A second renewal fits before the deadline after one that had no answer for half of it. */
export const MEMBER_TIMING: MemberTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  renewPeriodMs: 3_000,
  retryPeriodMs: 1_000,
};
/** Time that reconciles of a slot have before it is handed over. */
const DRAIN_MS = 10_000;
/** Interval of looks at the map while slots drain, and after a failure. Otherwise it is looked at when something changes. */
const LOOK_MS = 1_000;
/** A process that reaches the server again should soon see who lives. */
const LONGEST_WAIT_MS = 3_000;
/**
 * Time between changes of a leader. Two processes may take themselves for the leader for a while, with different views of who
 * lives; without it they undo each other's changes as fast as the server answers.
 */
const LEAD_GAP_MS = 200;
const MAX_TRIES = 8;
/** Reason of ended sleeps. Created once, because errors are costly to create. */
const WOKEN = new Error('The shards changed');
const LOST = new Error('Cannot go on with the reconcile: another process owns the shard');

type Slots = readonly ShardSlot[];

/**
 * The part of the objects that this process owns. The map says who owns what; this follows it, and changes it where this
 * process knows more: when it is warm, when it has drained, and, as the leader, when members come and go.
 *
 *     owned by A ──► A, to B ──► A drains, to B ──► owned by B, next epoch
 *              leader        B is warm         A has drained
 */
export class Shards implements Runnable, SlotSource {
  readonly needsLease = false;
  readonly kinds = new ShardedKinds(this);
  readonly #dependencies: ShardsDependencies;
  readonly #tenures = new Map<number, Tenure>();
  /** Slot of each object that was reconciled, for when it is gone. */
  readonly #slotOf = new Map<string, number>();
  readonly #members: Members;
  readonly #warned = new Set<string>();
  /** Owned slots, and those that move here. */
  slots: ReadonlySet<number> = new Set();
  #map: { readonly object: ConfigMap; readonly slots: Slots } | undefined;
  #lease: MemberLease | undefined;
  /** The map was read since the lease of this process was last invalid. */
  #isCurrent = false;
  /** Times that the lease was lost. */
  #losses = 0;
  /** Time of the last change as the leader. */
  #ledMs = Number.NEGATIVE_INFINITY;
  #namespace = 'default';
  #isStopping = false;
  #drainSince = new Map<number, number>();
  #editing: Promise<unknown> = Promise.resolve();
  #wake = new AbortController();
  moves = 0;
  fencedWrites = 0;

  constructor(dependencies: ShardsDependencies) {
    this.#dependencies = dependencies;
    this.#members = new Members(dependencies.clock, MEMBER_TIMING);
  }

  /** Sets the namespace of leases and map, before it runs. */
  place(namespace: string): void {
    this.#namespace = namespace;
  }

  /** Name of this process in the map. */
  get identity(): string {
    return this.#dependencies.identity;
  }

  get ownedSlots(): number {
    return this.#tenures.size;
  }

  /** Slots without an owner that lives, as this process sees it. */
  get unownedSlots(): number {
    const live = this.#members.live();
    return (this.#map?.slots ?? emptyMap()).filter(({ owner }) => !live.has(owner)).length;
  }

  /**
   * Begins a reconcile. Returns `undefined` when another process owns the object, and `later` while this process takes its
   * slot over. `isOwed`: the slot may be handed over meanwhile.
   */
  enter(type: ResourceType, request: Request, isOwed = false): Tenure | 'later' | undefined {
    const key = `${type.apiVersion} ${type.plural} ${requestKey(request)}`;
    const object = this.#dependencies
      .informers()
      .find(type, request.namespace)
      ?.cache.get(request as never);
    const slot = object === undefined ? this.#slotOf.get(key) : slotOf(object.metadata);
    if (slot === undefined) return this.#isListing ? 'later' : undefined;
    if (object === undefined) this.#slotOf.delete(key);
    const tenure = this.#tenures.get(slot);
    if (!tenure?.isReady) return this.slots.has(slot) ? 'later' : undefined;
    if (tenure.isDraining) {
      if (!isOwed) return undefined;
      tenure.owed = Math.max(0, tenure.owed - 1);
    }
    if (this.#isStopping || !this.#lease?.isValid) return undefined;
    if (object !== undefined) this.#slotOf.set(key, slot);
    tenure.active++;
    return tenure;
  }

  leave(tenure: Tenure): void {
    tenure.active--;
    if (tenure.active === 0 && (tenure.isDraining || this.#isStopping)) this.#wake.abort(WOKEN);
  }

  fenced(): void {
    this.fencedWrites++;
  }

  covered(): void {
    this.#checkReady();
    this.#wake.abort(WOKEN);
  }

  /** Called when this process begins to lead, or ends. */
  noteLeading(): void {
    this.#wake.abort(WOKEN);
  }

  unsupported(field: ShardField): void {
    if (this.#warned.has(field)) return;
    this.#warned.add(field);
    this.#dependencies.log.warn(
      'The server does not select shards; this process receives all objects and filters them',
      {
        field,
      },
    );
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock, name, identity, log } = this.#dependencies;
    const { live: client } = this.#dependencies.client();
    const namespace = this.#namespace;
    const lease = { namespace, name: `${name}-${identity}` };
    this.#lease = new MemberLease({ client, clock, lease, shards: name, identity, timing: MEMBER_TIMING });
    const onError = (error: unknown): void => log.warn('Cannot follow the shard map', errorFields(error));
    const stopFollowing = new AbortController();
    const leases = new Informer({
      client,
      clock,
      type: Lease,
      onError,
      longestWaitMs: LONGEST_WAIT_MS,
      select: { namespace, labelSelector: `${MEMBER_LABEL}=${name}` },
    });
    const maps = new Informer({
      client,
      clock,
      type: ConfigMap,
      onError,
      longestWaitMs: LONGEST_WAIT_MS,
      select: { namespace, fieldSelector: `metadata.name=${this.#mapName}` },
    });
    leases.subscribe({
      added: (object) => this.#noteMember(object),
      updated: (object) => this.#noteMember(object),
      deleted: ({ metadata }) => {
        this.#members.forget(metadata.name);
        this.#wake.abort(WOKEN);
      },
    });
    maps.subscribe({
      added: (object) => this.#take(object as unknown as ConfigMap),
      updated: (object) => this.#take(object as unknown as ConfigMap),
    });
    const following = [leases, maps].map((informer) => informer.run(stopFollowing));
    const renewing = this.#renew(stopFollowing.signal);
    try {
      while (!signal.aborted) {
        const isDone = await this.#step(signal).then(
          () => true,
          (error: unknown) => {
            if (!signal.aborted) log.warn('Could not change the shard map', errorFields(error));
            this.#wake = new AbortController();
            return false;
          },
        );
        const nextEndMs = Math.max(1, Math.min(this.#members.nextEndMs, this.#leadingInMs || Number.POSITIVE_INFINITY));
        await this.#sleep(isDone && !this.#isAnyDraining ? nextEndMs : Math.min(LOOK_MS, nextEndMs), signal);
      }
      this.#isStopping = true;
      while ([...this.#tenures.values()].some(({ active }) => active > 0)) await this.#sleep(LOOK_MS);
    } finally {
      stopFollowing.abort();
      await Promise.all([...following, renewing]);
      await this.#lease.release();
    }
  }

  get #mapName(): string {
    return `${this.#dependencies.name}-shards`;
  }

  get #isAnyDraining(): boolean {
    for (const { isDraining } of this.#tenures.values()) if (isDraining) return true;
    return false;
  }

  /** Time until this process may change the map as the leader again. */
  get #leadingInMs(): number {
    return Math.max(0, this.#ledMs + LEAD_GAP_MS - this.#dependencies.clock.monotonic());
  }

  /** Returns at once when something has changed since the last time. */
  async #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const wake = this.#wake;
    if (!wake.signal.aborted) {
      using _stopped = onAbort(signal, () => wake.abort(WOKEN));
      await this.#dependencies.clock.sleep(ms, { signal: wake.signal }).catch(() => undefined);
    }
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    const { renewPeriodMs, retryPeriodMs } = MEMBER_TIMING;
    let reading: Promise<void> | undefined;
    const read = (): Promise<void> =>
      this.#reread(signal)
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn('Could not read the shard map', errorFields(error));
        })
        .finally(() => {
          reading = undefined;
        });
    while (!signal.aborted) {
      let isRenewed = false;
      try {
        if (!(await this.#lease!.renew(signal))) this.#endAll();
        // Beside the renewals: they do not wait for a slow answer.
        if (!this.#isCurrent) reading ??= read();
        isRenewed = true;
      } catch (error) {
        if (signal.aborted) break;
        log.warn('Could not renew the lease of this member', errorFields(error));
      }
      if (!this.#lease!.isValid) this.#endAll();
      await clock.sleep(isRenewed ? renewPeriodMs : retryPeriodMs, { signal }).catch(() => undefined);
    }
    await reading;
  }

  #noteMember(lease: Parameters<Members['note']>[0]): void {
    if (this.#members.note(lease)) this.#wake.abort(WOKEN);
  }

  async #reread(signal?: AbortSignal): Promise<void> {
    const losses = this.#losses;
    const { live } = this.#dependencies.client();
    const options = { timeoutMs: MEMBER_TIMING.renewDeadlineMs / 2, ...(signal && { signal }) };
    const found = await live.find(ConfigMap, { namespace: this.#namespace, name: this.#mapName }, options);
    // Others may have taken over while the answer was on its way.
    if (losses === this.#losses) this.#isCurrent = true;
    if (found !== undefined) this.#take(found);
    this.#wake.abort(WOKEN);
  }

  /** Others may have taken over: nothing is done before the map is read again. */
  #endAll(): void {
    this.#isCurrent = false;
    this.#losses++;
    for (const tenure of this.#tenures.values()) tenure.end(LOST);
    this.#tenures.clear();
  }

  #take(object: ConfigMap): void {
    const slots = parseShardMap(object.data?.[SHARD_MAP_KEY] ?? '');
    const [known, version] = [
      Number(this.#map?.object.metadata.resourceVersion ?? 0),
      Number(object.metadata.resourceVersion),
    ];
    if (slots === undefined) return;
    if (version >= known) this.#map = { object, slots };
    // The answer to a read may be older than the map that was seen meanwhile, and not followed yet.
    if (this.#lease?.isValid && this.#isCurrent) this.#followMap(this.#map!.slots);
  }

  #followMap(slots: Slots): void {
    const { identity } = this.#dependencies;
    const [wanted, draining] = [new Set<number>(), new Set<number>()];
    for (const [slot, { owner, epoch, target, isDraining }] of slots.entries()) {
      const isMine = owner === identity;
      const held = this.#tenures.get(slot);
      // Handed over too early: the move was cancelled before it could be written down.
      const isKept = held?.isOver === true && !isDraining;
      if (held !== undefined && (!isMine || held.epoch !== epoch || isKept)) {
        held.end(LOST);
        this.#tenures.delete(slot);
      }
      if (isMine) {
        const tenure = this.#tenures.get(slot) ?? this.#begin(slot, epoch);
        const wasDraining = tenure.isDraining;
        tenure.isDraining = isDraining;
        if (isDraining && !wasDraining) {
          this.#drainSince.set(slot, this.#dependencies.clock.monotonic());
          tenure.owed = 0;
          draining.add(slot);
        }
        // The move was cancelled: requests of the slot were dropped meanwhile.
        if (wasDraining && !isDraining) tenure.isReady = false;
      }
      if (isMine || target === identity) wanted.add(slot);
    }
    const isChanged = wanted.size !== this.slots.size || [...wanted].some((slot) => !this.slots.has(slot));
    this.slots = wanted;
    if (isChanged) for (const [key, slot] of this.#slotOf) if (!wanted.has(slot)) this.#slotOf.delete(key);
    if (isChanged) for (const informer of this.#dependencies.informers().informers()) informer.reshard();
    if (draining.size > 0) for (const slot of this.#dependencies.owed(draining)) this.#tenures.get(slot)!.owed++;
    this.#checkReady();
    this.#wake.abort(WOKEN);
  }

  #begin(slot: number, epoch: number): Tenure {
    const { client, informers } = this.#dependencies;
    const tenure = new Tenure(slot, epoch, {
      client: client(),
      informers: informers(),
      map: { namespace: this.#namespace, name: this.#mapName },
      isValid: () => this.#lease?.isValid === true,
    });
    this.#tenures.set(slot, tenure);
    return tenure;
  }

  #isCovered(slot: number): boolean {
    return this.#dependencies
      .informers()
      .informers()
      .every((informer) => !informer.isPartial || informer.coveredSlots.has(slot));
  }

  /** True while objects of slots that move here may be missing in the caches. */
  get #isListing(): boolean {
    for (const slot of this.slots) if (this.#tenures.get(slot)?.isReady !== true) return true;
    return false;
  }

  #checkReady(): void {
    const ready = new Set<number>();
    for (const tenure of this.#tenures.values()) {
      if (tenure.isReady || !this.#isCovered(tenure.slot)) continue;
      tenure.isReady = true;
      ready.add(tenure.slot);
    }
    if (ready.size > 0) this.#dependencies.enqueue(ready);
  }

  async #step(signal: AbortSignal): Promise<void> {
    if (!this.#lease?.isValid) return;
    if (this.#dependencies.isLeader() && this.#leadingInMs === 0) await this.#lead(signal);
    await this.#edit((slots) => this.#advance(slots));
  }

  /** Takes the steps of moves that this process knows of: it is warm, or it has drained. */
  #advance(slots: Slots): Slots | undefined {
    const { identity, clock } = this.#dependencies;
    let isChanged = false;
    const next = slots.map((state, slot): ShardSlot => {
      if (state.target === identity && !state.isDraining && this.#isCovered(slot)) {
        isChanged = true;
        return { ...state, isDraining: true };
      }
      const tenure = this.#tenures.get(slot);
      if (state.owner !== identity || !state.isDraining || !tenure?.isDraining) return state;
      const isLate = clock.monotonic() - (this.#drainSince.get(slot) ?? 0) >= DRAIN_MS;
      if (tenure.active + tenure.owed > 0 && !isLate) return state;
      tenure.end(LOST);
      isChanged = true;
      return { owner: state.target, epoch: state.epoch + 1, target: '', isDraining: false };
    });
    return isChanged ? next : undefined;
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { live: client } = this.#dependencies.client();
    if (this.#map === undefined) await this.#createMap();
    const owners = new Set(this.#map?.slots.map(({ owner }) => owner));
    // A watch may be late: a list confirms that a member does not renew its lease.
    if ([...owners].some((owner) => owner !== '' && !this.#members.live().has(owner))) {
      const select = { namespace: this.#namespace, labelSelector: `${MEMBER_LABEL}=${this.#dependencies.name}` };
      for (const lease of (await client.list(Lease, { ...select, signal })).items) this.#members.note(lease);
    }
    await this.#edit((slots) => {
      const next = nextMap(slots, this.#members.live());
      if (next !== undefined) this.#ledMs = this.#dependencies.clock.monotonic();
      return next;
    });
    for (const name of this.#members.dead()) {
      await client.delete(Lease, { namespace: this.#namespace, name }).catch(() => undefined);
      this.#members.forget(name);
    }
  }

  async #createMap(): Promise<void> {
    const { client, name } = this.#dependencies;
    const metadata = { namespace: this.#namespace, name: this.#mapName, labels: { [SHARD_MAP_LABEL]: name } };
    try {
      this.#take(
        await client().live.create(ConfigMap, { metadata, data: { [SHARD_MAP_KEY]: formatShardMap(emptyMap()) } }),
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#reread();
    }
  }

  /** Changes the map by compare and swap, one change of this process at a time. */
  #edit(change: (slots: Slots) => Slots | undefined): Promise<void> {
    const edited = this.#editing.then(() => this.#tryEdit(change));
    this.#editing = edited.catch(() => undefined);
    return edited;
  }

  async #tryEdit(change: (slots: Slots) => Slots | undefined): Promise<void> {
    for (let tries = MAX_TRIES; this.#map !== undefined; tries--) {
      const { object, slots } = this.#map;
      const next = change(slots);
      if (next === undefined) return;
      const data = { ...object.data, [SHARD_MAP_KEY]: formatShardMap(next) };
      try {
        const written = await this.#dependencies.client().live.update(ConfigMap, { ...object, data });
        this.moves += next.filter(({ owner }, slot) => owner !== slots[slot]!.owner).length;
        this.#take(written);
        return;
      } catch (error) {
        if (!isConflict(error) || tries === 0) throw error;
        await this.#reread();
      }
    }
  }
}

/** Returns the slot of a main object. */
export function slotOf({ uid = '' }: Pick<ObjectMeta, 'uid'>): number {
  return shardSlot(shardHash(uid));
}
