import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock, Timer } from '@pintle/async';
import type { Informer, SharedInformers, WorkQueue } from '@pintle/client';
import type { KubernetesObject } from '@pintle/machinery';
import { endRecordings, type Recording } from './recording.ts';
import type { ReconcileTrace, TracedRequest } from './trace.ts';

/** A controller, as its manager introduces it. */
export interface InspectedController {
  readonly name: string;
  readonly queue: Pick<WorkQueue<TracedRequest>, 'stats' | 'items' | 'failures'>;
}

/** A manager, as it introduces itself to inspectors. */
export interface InspectedManager {
  readonly name: string;
  readonly isControlPlane: boolean;
  readonly controllers: readonly InspectedController[];
  isLeading(): boolean;
  readonly informers: SharedInformers;
}

/** Asks every running manager of the process to call `found` with itself. */
export interface Inspection {
  found(manager: InspectedManager): void;
}

const inspections = channel('pintle:inspect');
const RECONCILE = 'pintle:reconcile';
const INSPECT = 'pintle:inspect';

/** Removes answers of managers that are gone without having stopped. */
const lost = new FinalizationRegistry<() => void>((remove) => remove());

/**
 * Introduces a manager to inspectors until the result is disposed of. Only the result keeps the manager: one whose run can
 * never go on, as after a crash in a test, is collected with all that it holds.
 */
export function introduce(manager: InspectedManager): Disposable {
  const introduced = new WeakRef(manager);
  const answer = (inspection: unknown): void => {
    const found = introduced.deref();
    if (found !== undefined) (inspection as Inspection).found(found);
  };
  const remove = (): void => void unsubscribe(INSPECT, answer);
  subscribe(INSPECT, answer);
  lost.register(manager, remove, manager);
  return new Introduction(manager, remove);
}

/** Keeps the manager that it has introduced. */
class Introduction implements Disposable {
  readonly #manager: InspectedManager;
  readonly #remove: () => void;

  constructor(manager: InspectedManager, remove: () => void) {
    this.#manager = manager;
    this.#remove = remove;
  }

  [Symbol.dispose](): void {
    lost.unregister(this.#manager);
    this.#remove();
  }
}

/** State of a queued object. */
export interface QueuedReport {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly state: 'ready' | 'delayed' | 'active';
  /** Time until a delayed object is due. */
  readonly dueInMs?: number;
  /** Consecutive failures. */
  readonly failures: number;
}

export interface ControllerReport {
  readonly name: string;
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** The first objects of the queue: active, ready, then delayed by due time. */
  readonly queue: readonly QueuedReport[];
}

/** A cache of a manager, and the revision that it has reached. */
export interface CacheReport {
  readonly resource: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly revision: string;
  readonly isSynced: boolean;
  readonly isFailing: boolean;
  readonly silentMs: number;
}

/** State of a manager, and what its controllers did since the last report. */
export interface OperatorReport {
  /** Unique on the machine. */
  readonly operator: string;
  readonly name: string;
  readonly pid: number;
  readonly isControlPlane: boolean;
  readonly isLeader: boolean;
  readonly controllers: readonly ControllerReport[];
  readonly caches: readonly CacheReport[];
  /** Reconciles that ended, and those that run. */
  readonly traces: readonly ReconcileTrace[];
  /** Reconciles that ended and did not fit. */
  readonly omittedTraces: number;
}

const INTERVAL_MS = 400;
const MAX_QUEUED = 50;
const MAX_TRACES = 300;

/** Records the reconciles of this process, or of one manager, until it is disposed of. */
export class Collection implements Disposable {
  readonly #only: InspectedManager | undefined;
  readonly #recordings = new Set<Recording>();
  #omitted = 0;

  constructor(only?: InspectedManager) {
    this.#only = only;
    subscribe(RECONCILE, this.#note);
  }

  [Symbol.dispose](): void {
    unsubscribe(RECONCILE, this.#note);
    endRecordings();
  }

  /** Reports on each manager, with what its controllers did since the last call. */
  collect(): OperatorReport[] {
    const reports: OperatorReport[] = [];
    const recordings = [...this.#recordings];
    const omittedTraces = this.#omitted;
    this.#omitted = 0;
    for (const recording of recordings) if (recording.isFinished) this.#recordings.delete(recording);
    if (this.#only !== undefined) return [reportOn(this.#only, recordings, omittedTraces)];
    inspections.publish({
      found: (manager) => reports.push(reportOn(manager, recordings, omittedTraces)),
    } satisfies Inspection);
    return reports;
  }

  readonly #note = (published: unknown): void => {
    const recording = published as Recording;
    const own: readonly unknown[] | undefined = this.#only?.controllers;
    if (own?.includes(recording.controller) === false) return;
    if (this.#recordings.size < MAX_TRACES) this.#recordings.add(recording);
    else this.#omitted++;
  };
}

/** Reports on all managers of this process, every 400 ms until it is disposed of. */
export class TelemetryCollector implements Disposable {
  readonly #clock: Clock;
  readonly #onReports: (reports: readonly OperatorReport[]) => void;
  readonly #collection = new Collection();
  #timer: Timer | undefined;
  #isDisposed = false;

  constructor(clock: Clock, onReports: (reports: readonly OperatorReport[]) => void) {
    this.#clock = clock;
    this.#onReports = onReports;
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.cancel();
    this.#collection[Symbol.dispose]();
  }

  #wait(): void {
    if (this.#isDisposed) return;
    this.#timer = this.#clock.setTimer(INTERVAL_MS, () => {
      this.#onReports(this.#collection.collect());
      this.#wait();
    });
  }
}

function reportOn(manager: InspectedManager, recordings: readonly Recording[], omittedTraces: number): OperatorReport {
  const { name, isControlPlane, controllers, informers } = manager;
  const own = new Set<unknown>(controllers);
  return {
    operator: `${name}/${process.pid}`,
    name,
    pid: process.pid,
    isControlPlane,
    isLeader: manager.isLeading(),
    controllers: controllers.map(reportOnController),
    caches: [...informers.informers()].map(reportOnCache),
    traces: recordings.filter(({ controller }) => own.has(controller)).map((recording) => recording.report()),
    omittedTraces,
  };
}

function reportOnController({ name, queue }: InspectedController): ControllerReport {
  const { ready, delayed, active } = queue.stats();
  const items = queue.items(MAX_QUEUED).map(({ item, state, dueInMs }) => ({
    ...item,
    state,
    ...(dueInMs !== undefined && { dueInMs }),
    failures: queue.failures(item),
  }));
  return { name, ready, delayed, active, queue: items };
}

function reportOnCache(informer: Informer<KubernetesObject>): CacheReport {
  const { type, resourceVersion, isSynced, isFailing, silentMs } = informer;
  const resource = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  return { resource, kind: type.kind, revision: resourceVersion, isSynced, isFailing, silentMs };
}
