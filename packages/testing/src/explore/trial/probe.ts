import { deferred } from '@pintle/async';
import type { Client, TransportRequest, TransportResponse } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, trustedLimits } from '@pintle/machinery/json';
import type { Manager, ReconcileObserver, Request } from '@pintle/operator';
import { ADMIN } from '../../backend/backend.ts';
import {
  conflict,
  type Exchange,
  expired,
  type Fault,
  loseAnswer,
  serverError,
  tooManyRequests,
  unreachable,
} from '../../faults/fault.ts';
import { whole } from '../../intercept/creations.ts';
import { listAt, plainWatches } from '../../intercept/stale-reads.ts';
import type { ControlPlane } from '../../plane/control-plane.ts';
import { isNotAwaited } from '../../plane/unawaited.ts';
import type { RequestFacts } from '../../requests/request-facts.ts';
import type { RequestFilter } from '../../requests/request-log.ts';
import { firstOwnLocation } from '../../wait/own-frames.ts';
import { CONTROL_PLANE_ACTOR } from '../../wait/waiter.ts';
import type { PlannedFault, PointId } from '../model/plan.ts';
import type { ChanceNames } from '../world/chance-names.ts';
import { TOUCHED, type WorldResource } from '../world/world.ts';
import { Changes } from './changes.ts';
import type { Collector } from './collector.ts';
import { objectKey, type Party, placeOf, pointKey } from './point.ts';
import type { Phase, ReconcileFailure, TraceEntry, TraceNote } from './trace.ts';

export const OPERATOR = 'operator';

const EXPLORER = { ...ADMIN, username: 'explorer' };
/** Resources without faults, which are not compared. */
const UNTRACKED: ReadonlySet<string> = new Set(['events', 'leases']);
/** Writes of the operator after which held watches are released. */
const MAX_HELD_EFFECTS = 30;
/** Equal writes of one object, and other equal requests, while no time passes, after which an operator loops. */
const MAX_WRITES = 50;
const MAX_REQUESTS = 1_000;
const ALWAYS = { times: Number.POSITIVE_INFINITY };

interface ProbeDependencies {
  readonly plane: ControlPlane;
  readonly faults: readonly PlannedFault[];
  readonly collector: Collector;
  readonly names: ChanceNames;
  /** Kills the operator's process and starts another. */
  crash(): void;
  /** Pauses the operator's process and starts another. */
  overtake(): void;
  /** True when all informers of the operator are synced. */
  isSynced(): boolean;
  /** Ends an operator that repeats a request without end. */
  endLoop(reason: string): void;
}

/** Records every request of a run, and injects the planned faults. */
export class Probe {
  readonly entries: TraceEntry[] = [];
  readonly notes: TraceNote[] = [];
  /** Deletions of objects that the operator cannot have seen. */
  readonly blindDeletions: TraceEntry[] = [];
  /** Written resources, by `fruits.example.com`. */
  readonly written = new Map<string, WorldResource>();
  /** Last failures of reconciles that have not succeeded since, by `fruit default/apple`. */
  readonly failures = new Map<string, ReconcileFailure>();
  /** Errors of reconciles that did not await their calls, by `fruit default/apple`. A retry usually hides the mistake. */
  readonly unawaited = new Map<string, string>();
  /** Reconciles during the scenario, in order. */
  readonly reconciles: { readonly reconcile: string; readonly nth: number }[] = [];
  /** True while a process that was paused continues with its old caches. */
  isOvertakenAwake = false;
  phase: Phase = 'scenario';
  rest = 0;
  /** Number of writes of the operator that changed something. */
  effects = 0;
  /** True while the operator receives the changes after a past that it was shown. */
  isCatchingUp = false;
  /** True when requests are not recorded any more. */
  isOff = false;
  /** Client for requests of the explorer itself, without faults and records. */
  readonly explorer: Client;
  readonly #dependencies: ProbeDependencies;
  readonly #counts = new Map<string, number>();
  readonly #faults: PlannedFault[];
  readonly #struck = new Set<PlannedFault>();
  readonly #putOff: { readonly controller: string; readonly request: Request }[] = [];
  /** Objects of postponed reconciles. */
  readonly #waiting = new Set<string>();
  /** Running reconciles. */
  readonly #active: string[] = [];
  readonly #requests = new Map<string, { readonly controller: string; readonly request: Request }>();
  readonly #held = new Map<PlannedFault, Disposable>();
  readonly #others: Disposable[] = [];
  #relisted: string | undefined;
  /** Objects that were created while the operator could not see them. */
  readonly #unseen = new Set<string>();
  /** Equal requests since time passed last. */
  readonly #repeats = new Map<string, number>();
  #repeatsAtMs = 0;
  readonly #revisions = new Map<PlannedFault, number>();
  readonly #generated = new Map<string, string>();
  /** Names that the server generated, with what they begin with: `web-*`. An update may remove generateName. */
  readonly generatedNames = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  readonly #changes = new Changes();
  readonly #overtakenAnswered = deferred();
  #past: { readonly fault: PlannedFault; readonly revision: number } | undefined;
  #newest = 0;
  #heldEffects = 0;
  #awaited: { readonly effects: number; readonly resolve: () => void } | undefined;

  constructor(dependencies: ProbeDependencies) {
    this.#dependencies = dependencies;
    this.#faults = [...dependencies.faults];
    this.explorer = dependencies.plane.as(EXPLORER);
    const { faults } = dependencies.plane;
    faults.inject({ actor: OPERATOR }, this.#faultOf('operator'), ALWAYS);
    faults.inject({ actor: 'test' }, this.#faultOf('test'), ALWAYS);
    faults.inject({ actor: CONTROL_PLANE_ACTOR }, this.#faultOf('controllers'), ALWAYS);
  }

  /** Reads the revision of the store. */
  async open(): Promise<void> {
    this.#newest = await revisionOf(this.explorer);
  }

  /** Faults that have occurred. */
  get struck(): ReadonlySet<PlannedFault> {
    return this.#struck;
  }

  /** True while watches of the operator are held. */
  get isViewHeld(): boolean {
    return this.#held.size + this.#others.length > 0;
  }

  /** True when the scenario has written since the last rest. */
  get hasNewsOfTest(): boolean {
    return this.entries.some(({ party, hasEffect, rest }) => party === 'test' && hasEffect && rest === this.rest);
  }

  /** Resolves after this number of writes of the operator. */
  untilEffects(count: number): Promise<void> {
    const waited = deferred();
    this.#awaited = { effects: this.effects + count, resolve: () => waited.resolve() };
    return waited.promise;
  }

  /** Observes the reconciles of a manager. Call it before controllers are added. */
  observe(manager: Manager): void {
    const observe = manager.observe.bind(manager);
    manager.observe = (options) => this.#observerOf(options.name, observe(options));
  }

  /** All requests that were reconciled, by controller. */
  get requests(): readonly { readonly controller: string; readonly request: Request }[] {
    return [...this.#requests.values()];
  }

  /** Returns the postponed reconciles, which may run now. */
  takePutOff(): readonly { readonly controller: string; readonly request: Request }[] {
    this.#waiting.clear();
    return this.#putOff.splice(0);
  }

  strike(fault: PlannedFault, note: string): void {
    this.#struck.add(fault);
    this.note(note);
  }

  /** Notes the state of an object that the explorer itself wrote. */
  noteObject(answer: unknown): void {
    if (isJsonObject(answer as JsonValue)) this.#changes.note(answer as JsonObject);
  }

  note(note: string): void {
    this.notes.push({ atMs: this.#dependencies.plane.clock.now(), note });
  }

  /** Returns the revision of a `past` fault; `undefined` when its write was not made. */
  pastOf(fault: PlannedFault): number | undefined {
    return this.#revisions.get(fault);
  }

  /** Shows the operator the objects of a revision, until `heal`. */
  showPast(fault: PlannedFault, revision: number): void {
    this.#past = { fault, revision };
    this.#hold(fault, { actor: OPERATOR });
    this.#noteCreatedAfter(revision);
  }

  /** Resolves when the write of the process that was paused is answered. */
  untilOvertakenAnswered(): Promise<void> {
    return this.#overtakenAnswered.promise;
  }

  /** Ends the view of a process that was paused. */
  endOvertaken(): void {
    this.isOvertakenAwake = false;
    if (this.#held.size === 0) this.#unseen.clear();
  }

  /** Marks objects as unseen that were created after this revision. */
  #noteCreatedAfter(revision: number): void {
    for (const { revision: created, verb, status, subresource, hasEffect, object } of this.entries)
      if (created > revision && hasEffect && (verb === 'create' || status === 201) && subresource === '')
        this.#unseen.add(object);
  }

  /** Releases watches that faults of these kinds hold; without kinds, all. */
  heal(...kinds: readonly PlannedFault['kind'][]): boolean {
    const chosen = [...this.#held.keys()].filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
    for (const fault of chosen) this.#release(fault);
    return chosen.length > 0;
  }

  /** Releases watches at a rest: of late kinds, and of the operator's own changes. */
  healAtRest(): boolean {
    const chosen = [...this.#held.keys()].filter(
      (fault) => fault.kind === 'late' || (fault.kind === 'unseen' && fault.from.startsWith(`${OPERATOR} `)),
    );
    for (const fault of chosen) this.#release(fault);
    return chosen.length > 0;
  }

  /** Releases watches of the last process: a new one opens its own. */
  reconnect(): void {
    for (const fault of [...this.#held.keys()]) if (fault.kind !== 'past') this.#release(fault, { isForced: true });
    this.healOthers();
  }

  /** `isForced`: the watch delivers the missed events instead of ending. */
  #release(fault: PlannedFault, { isForced = false } = {}): void {
    const held = this.#held.get(fault);
    if (held === undefined) return;
    this.#held.delete(fault);
    if (this.#past?.fault === fault) {
      this.#past = undefined;
      this.isCatchingUp = true;
    }
    if (fault.kind === 'unseen' && !isForced) {
      this.#holdOthers(fault.resource);
      this.#dependencies.plane.watches.expire(filterOf(fault.resource));
    }
    held[Symbol.dispose]();
    if (this.#held.size === 0) this.#unseen.clear();
    this.note(
      fault.kind === 'unseen' ? `the operator lists ${fault.resource} again` : 'the operator sees the present again',
    );
  }

  #observerOf(controller: string, base: ReconcileObserver): ReconcileObserver {
    const name = ({ namespace, name: own }: Request): string =>
      `${controller} ${namespace === undefined ? '' : `${namespace}/`}${own}`;
    return {
      ...(base.queue && { queue: base.queue }),
      started: (request) => {
        this.#requests.set(name(request), { controller, request });
        base.started?.(request);
      },
      finished: (request, end) => {
        base.finished?.(request, end);
        const reconcile = name(request);
        if (this.isOff || this.phase === 'restarted') return;
        if (end.outcome !== 'error') this.failures.delete(reconcile);
        else {
          const inRow = (this.failures.get(reconcile)?.inRow ?? 0) + 1;
          this.failures.set(reconcile, { phase: this.phase, error: messageOf(end.error), inRow });
          if (isNotAwaited(end.error)) this.unawaited.set(reconcile, end.error.message);
        }
      },
      around: async <R>(request: Request, reconcile: () => Promise<R>): Promise<R> => {
        const own = name(request);
        if (this.#isPutOff(own)) {
          if (!this.#waiting.has(own)) this.#putOff.push({ controller, request });
          this.#waiting.add(own);
          return undefined as R;
        }
        this.#active.push(own);
        try {
          return await (base.around === undefined ? reconcile() : base.around(request, reconcile));
        } finally {
          this.#active.splice(this.#active.indexOf(own), 1);
        }
      },
    };
  }

  #isPutOff(reconcile: string): boolean {
    if (this.phase !== 'scenario') return false;
    const nth = this.reconciles.filter((each) => each.reconcile === reconcile).length + 1;
    this.reconciles.push({ reconcile, nth });
    // A worker that is slow has its object until it is done.
    if (this.#waiting.has(reconcile)) return true;
    const fault = this.#faults.find(
      (each) => each.kind === 'put-off' && each.reconcile === reconcile && each.nth === nth && !this.#struck.has(each),
    );
    if (fault !== undefined) this.strike(fault, `the reconcile of ${reconcile} is postponed`);
    return fault !== undefined;
  }

  #faultOf(party: Party): Fault {
    return { name: 'probed', apply: (exchange) => this.#pass(party, exchange) };
  }

  async #pass(party: Party, exchange: Exchange): Promise<TransportResponse> {
    const { request, next } = exchange;
    if (this.isOff || exchange.facts.resource === '' || UNTRACKED.has(exchange.facts.resource)) return await next();
    const facts = placeOf(exchange.facts, request);
    const key = pointKey(party, facts);
    const nth = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, nth);
    const point: PointId = `${key} #${nth}`;
    if (party === 'operator') this.#countRepeats(key, facts);
    this.#before(point);
    const fault = this.#wireFaultAt(point);
    const send = async (sent: TransportRequest = request): Promise<TransportResponse> =>
      await this.#observed(
        party,
        point,
        facts,
        sent,
        (inner) => this.#view(party, facts, { ...exchange, next }, inner),
        fault,
      );
    if (fault === undefined) return await send();
    this.strike(fault.planned, fault.note);
    if (fault.isRefusal) this.#record(party, point, facts, undefined, fault.note);
    const { sleep, wait, standstill } = exchange;
    return await fault.fault.apply({ request, facts, next: send, sleep, wait, standstill });
  }

  /** An operator that loops while no time passes would never rest. */
  #countRepeats(key: string, { isWrite, name }: RequestFacts): void {
    const nowMs = this.#dependencies.plane.clock.now();
    if (this.#repeatsAtMs !== nowMs) this.#repeats.clear();
    this.#repeatsAtMs = nowMs;
    const count = (this.#repeats.get(key) ?? 0) + 1;
    this.#repeats.set(key, count);
    // Objects with generated names are different ones.
    const isOfOne = isWrite && name !== '' && !name.endsWith('*');
    if (count === (isOfOne ? MAX_WRITES : MAX_REQUESTS)) this.#dependencies.endLoop(`it repeats “${key}” without end`);
  }

  #view(party: Party, facts: RequestFacts, exchange: Exchange, request: TransportRequest): Promise<TransportResponse> {
    if (party !== 'operator' || this.#past === undefined) return exchange.next(request);
    // Every server responds to a consistent list with the newest objects, however old its cache is.
    if (facts.verb === 'list' && isAnyVersion(request))
      return listAt(`${this.#past.revision}`).apply({ ...exchange, request });
    if (facts.verb === 'watch') return plainWatches().apply({ ...exchange, request });
    return exchange.next(request);
  }

  #before(point: PointId): void {
    for (const fault of this.#faults) {
      if ((fault.kind !== 'unseen' && fault.kind !== 'late') || fault.from !== point || this.#struck.has(fault))
        continue;
      // A process that cannot list exits after a while, which shows nothing.
      if (!this.#dependencies.isSynced()) continue;
      const what = fault.kind === 'unseen' ? 'does not see' : 'will see late';
      this.strike(fault, `from here on the operator ${what} what happens to ${fault.resource}`);
      this.#hold(fault, filterOf(fault.resource));
    }
  }

  /** Kills the process instead of sending the request. */
  readonly #death: Fault = {
    name: 'crashed',
    apply: (exchange) => {
      this.#dependencies.crash();
      return unreachable().apply(exchange);
    },
  };

  /** Pauses the process before it sends the request at the point. */
  #pauseAt(point: PointId): Fault {
    const apply: Fault['apply'] = async ({ request, facts, next, wait, standstill }) => {
      const revision = this.#newest;
      this.#dependencies.overtake();
      if (standstill?.ended !== undefined) await wait(standstill.ended);
      this.isOvertakenAwake = true;
      this.#noteCreatedAfter(revision);
      const isDeletion = facts.verb === 'delete' && this.#uids.has(objectKey(facts));
      try {
        return await next();
      } catch (error) {
        // A process that finds its lease lost ends before it has the response, and the server may have deleted the object.
        if (isDeletion && !(await this.#exists(facts)))
          this.#record('operator', point, facts, { status: 200, answer: { kind: 'Status' }, request }, undefined);
        throw error;
      } finally {
        this.#overtakenAnswered.resolve();
      }
    };
    return { name: 'paused', apply };
  }

  async #exists(facts: RequestFacts): Promise<boolean> {
    const found = this.explorer.call({ method: 'GET', path: pathOf(facts) });
    return await found.then(
      () => true,
      () => false,
    );
  }

  /** Changes the object right before the request. */
  readonly #touch: Fault = {
    name: 'touched',
    apply: async ({ facts, next }) => {
      const path = pathOf(facts);
      const headers = { 'content-type': 'application/merge-patch+json' };
      const body = Buffer.from(JSON.stringify({ metadata: { annotations: { [TOUCHED]: 'yes' } } }));
      await this.explorer.call({ method: 'PATCH', path, headers, body }).catch(() => undefined);
      return await next();
    },
  };

  #hold(fault: PlannedFault, filter: RequestFilter): void {
    this.#held.set(fault, this.#dependencies.plane.watches.stall(filter));
    this.#heldEffects = this.effects;
  }

  /**
   * Holds watches of other resources until the resource is listed again. Between, the operator might fight with controllers
   * that see all objects, without end while no time passes.
   */
  #holdOthers(resource: string): void {
    const { watches } = this.#dependencies.plane;
    this.#relisted = resource.split('.')[0];
    const others = new Set(watches.list({ actor: OPERATOR }).map((watch) => watch.resource));
    for (const other of others)
      if (other !== this.#relisted) this.#others.push(watches.stall({ actor: OPERATOR, resource: other }));
  }

  /** Releases watches of other resources. Returns true when there were any. */
  healOthers(): boolean {
    const others = this.#others.splice(0);
    this.#relisted = undefined;
    for (const held of others) held[Symbol.dispose]();
    return others.length > 0;
  }

  #wireFaultAt(point: PointId): WireFault | undefined {
    for (const planned of this.#faults) {
      if (this.#struck.has(planned)) continue;
      if (planned.kind === 'lost-answer' && planned.at === point)
        return { planned, fault: loseAnswer(), note: 'the response is lost', isRefusal: false };
      if (planned.kind === 'crash-before' && planned.at === point)
        return { planned, fault: this.#death, note: 'the operator crashes and is started again', isRefusal: true };
      if (planned.kind === 'paused' && planned.at === point)
        return {
          planned,
          fault: this.#pauseAt(point),
          note: 'the process is paused, and another becomes the leader',
          isRefusal: false,
        };
      if (planned.kind === 'conflict' && planned.at === point)
        return { planned, fault: this.#touch, note: 'another client has just changed the object', isRefusal: false };
      if (planned.kind === 'refused' && planned.at === point)
        return {
          planned,
          fault: refusal(planned.code),
          note: `the server refuses with ${planned.code}`,
          isRefusal: true,
        };
    }
    return undefined;
  }

  async #observed(
    party: Party,
    point: PointId,
    facts: RequestFacts,
    request: TransportRequest,
    next: (request: TransportRequest) => Promise<TransportResponse>,
    fault: WireFault | undefined,
  ): Promise<TransportResponse> {
    const isRead = facts.verb === 'get' && party === 'operator' && this.isViewHeld;
    if (!facts.isWrite && !isRead) {
      const response = await next(request);
      if (party === 'operator' && this.#relisted === facts.resource) this.healOthers();
      if (party === 'operator' && facts.verb === 'list' && !isAnyVersion(request)) this.#noteSeen(facts);
      if (party === 'operator') this.#record(party, point, facts, { status: response.status }, fault?.note);
      return response;
    }
    const response = await next(request);
    const body = await whole(response.body);
    const answer = response.status < 300 ? objectIn(body) : undefined;
    if (isRead) this.#unseen.delete(objectKey(facts));
    const entry = this.#record(party, point, facts, { status: response.status, answer, request }, fault?.note);
    if (facts.isWrite) await this.#after(point, entry);
    return { ...response, body };
  }

  /** Marks objects as seen that a consistent list returned. */
  #noteSeen(facts: RequestFacts): void {
    const listed = objectKey(facts);
    for (const object of this.#unseen)
      if (object.startsWith(facts.namespace === '' ? `${listed} ` : listed)) this.#unseen.delete(object);
  }

  async #after(point: PointId, entry: TraceEntry): Promise<void> {
    for (const fault of this.#faults) {
      if (fault.kind === 'past' && fault.from === point) this.#revisions.set(fault, await this.#revisionNow());
      if (fault.kind === 'unseen' && fault.until === point) this.#release(fault);
      if (this.#struck.has(fault)) continue;
      if (fault.kind === 'again' && fault.after === point && entry.hasEffect) {
        this.strike(fault, 'everything is reconciled once more');
        this.onAgain?.();
      }
      if (fault.kind === 'crash' && fault.after === point && entry.hasEffect) {
        this.strike(fault, 'the operator crashes and is started again');
        this.#dependencies.crash();
      }
    }
  }

  /** Reads the revision: the response to a deletion has none. */
  async #revisionNow(): Promise<number> {
    return await revisionOf(this.explorer);
  }

  /** Enqueues all requests once more. */
  onAgain: (() => void) | undefined;

  #record(
    party: Party,
    point: PointId,
    facts: RequestFacts,
    answered: Answered | undefined,
    fault: string | undefined,
  ): TraceEntry {
    const answer = answered?.answer;
    const metadata = isJsonObject(answer?.metadata) ? answer.metadata : {};
    const revision = Number(metadata.resourceVersion ?? 0);
    const isOk = answered?.status !== undefined && answered.status < 300 && facts.isWrite;
    const isDeleting = typeof metadata.deletionTimestamp === 'string';
    const isStatus = answer?.kind === 'Status';
    const isRemoval = facts.verb === 'delete' || facts.verb === 'deletecollection';
    const isReleased = isDeleting && !(Array.isArray(metadata.finalizers) && metadata.finalizers.length > 0);
    const isCleared = facts.verb === 'deletecollection' && Array.isArray(answer?.items) && answer.items.length > 0;
    const isGone =
      isOk && (isCleared || (isRemoval && isStatus) || (isReleased && metadata.deletionGracePeriodSeconds === 0));
    const hasEffect = isOk && (isGone || (facts.verb !== 'deletecollection' && revision > this.#newest));
    const object = this.#objectOf(withName(facts, metadata.name), metadata.name);
    const changes = hasEffect && !isStatus && answer !== undefined ? this.#changes.note(answer) : '';
    const entry: TraceEntry = {
      atMs: this.#dependencies.plane.clock.now(),
      party,
      point,
      verb: facts.verb,
      object,
      resource: `${facts.resource}${facts.group && `.${facts.group}`}`,
      subresource: facts.subresource,
      status: answered?.status,
      hasEffect,
      isGone,
      isDeleting,
      changes,
      uid: typeof metadata.uid === 'string' ? metadata.uid : (this.#uids.get(object) ?? ''),
      revision: Math.max(revision, this.#newest),
      rest: this.rest,
      phase: this.phase,
      // With several running reconciles the sender is unknown.
      reconcile: party === 'operator' && this.#active.length === 1 ? this.#active[0] : undefined,
      fault,
      isInPast: this.#past !== undefined || this.isCatchingUp || this.isOvertakenAwake,
      isCatchingUp: this.isCatchingUp,
    };
    this.#newest = Math.max(this.#newest, revision);
    this.entries.push(entry);
    if (isOk && answer !== undefined) this.#dependencies.collector.note(facts, answer, { isGone });
    if (facts.isWrite && hasEffect) {
      const { group, version, resource } = facts;
      if (!this.written.has(entry.resource)) this.written.set(entry.resource, { group, version, resource });
      this.#noteEffect(entry, answered?.request);
    }
    return entry;
  }

  #isHidden(resource: string): boolean {
    return [...this.#held.keys()].some((fault) => fault.kind !== 'late' || fault.resource === resource);
  }

  /** True when the request deletes an object that the operator cannot have seen. */
  #isBlind({ verb, object }: TraceEntry): boolean {
    if (verb === 'delete') return this.#unseen.has(object);
    return verb === 'deletecollection' && [...this.#unseen].some((unseen) => unseen.startsWith(`${object}/`));
  }

  /** Returns the key of an object, for generated names with `*`. */
  #objectOf(facts: RequestFacts, name: JsonValue | undefined): string {
    const object = objectKey(facts);
    if (facts.name.endsWith('*') && typeof name === 'string') {
      this.#generated.set(objectKey({ ...facts, name }), object);
      this.generatedNames.set(name, facts.name);
    }
    const known = this.#generated.get(object);
    if (known !== undefined) return known;
    const pattern = this.#dependencies.names.of(object);
    return pattern === undefined ? object : objectKey({ ...facts, name: pattern });
  }

  #noteEffect(entry: TraceEntry, request: TransportRequest | undefined): void {
    const { party, verb, object, resource, isGone } = entry;
    if (party === 'operator' && ++this.effects === this.#awaited?.effects) this.#awaited.resolve();
    if (party === 'operator' && this.#isBlind(entry) && !hasPrecondition(request)) this.blindDeletions.push(entry);
    if (verb === 'create' || (verb === 'patch' && entry.status === 201)) {
      this.#uids.set(object, entry.uid);
      if (this.#isHidden(resource) && party !== 'operator') this.#unseen.add(object);
    }
    if (isGone) this.#uids.delete(object);
    // With held watches, the operator may fight with controllers that see all objects.
    if (party === 'operator' && this.isViewHeld && this.effects - this.#heldEffects > MAX_HELD_EFFECTS)
      for (const fault of [...this.#held.keys()]) this.#release(fault, { isForced: true });
  }
}

function pathOf({ group, version, resource, namespace, name }: RequestFacts): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}/${name}`;
}

/** Returns the facts with the name in the response: of requests from outside the body is not known. */
function withName(facts: RequestFacts, name: JsonValue | undefined): RequestFacts {
  return facts.verb === 'create' && facts.name === '' && typeof name === 'string' ? { ...facts, name } : facts;
}

/** Returns the newest revision of the store. */
export async function revisionOf(client: Client): Promise<number> {
  const { metadata } = await client.list(Namespace, { limit: 1 });
  return Number(metadata.resourceVersion ?? 0);
}

interface Answered {
  readonly status: number;
  readonly answer?: JsonObject | undefined;
  readonly request?: TransportRequest;
}

interface WireFault {
  readonly planned: PlannedFault;
  readonly fault: Fault;
  readonly note: string;
  readonly isRefusal: boolean;
}

function refusal(code: number): Fault {
  if (code === 409) return conflict();
  if (code === 410) return expired();
  if (code === 429) return tooManyRequests();
  return serverError();
}

/** Returns the filter for the operator's watches of a resource: `fruits.example.com`. */
function filterOf(resource: string): { readonly actor: string; readonly resource: string; readonly group: string } {
  const dot = resource.indexOf('.');
  return dot < 0
    ? { actor: OPERATOR, resource, group: '' }
    : { actor: OPERATOR, resource: resource.slice(0, dot), group: resource.slice(dot + 1) };
}

function objectIn(body: Uint8Array): JsonObject | undefined {
  try {
    const value = parseJson(body, trustedLimits);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Protobuf of a program.
    return undefined;
  }
}

function hasPrecondition(request: TransportRequest | undefined): boolean {
  if (request?.body === undefined || request.body.length === 0) return false;
  const preconditions = objectIn(request.body)?.preconditions;
  return (
    isJsonObject(preconditions) && (preconditions.uid !== undefined || preconditions.resourceVersion !== undefined)
  );
}

/** True for lists that accept any version, as informers send at their start. */
function isAnyVersion({ query }: TransportRequest): boolean {
  const parameters = new URLSearchParams(query);
  return parameters.has('continue') || (parameters.get('resourceVersion') ?? '') !== '';
}

/** Returns the message, with the first place in the operator's own code. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = firstOwnLocation(error.stack ?? '');
  return place === undefined ? error.message : `${error.message} (${place})`;
}
