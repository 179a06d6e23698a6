import type { Clock, Random, Timer } from '@pintle/async';
import { realClock, systemRandom } from '@pintle/async';
import { Event } from '@pintle/kinds/events/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Client } from '../rest/client.ts';
import { createEvent, type NamedEvent } from './create-event.ts';
import { EventNames } from './event-names.ts';
import { PatientSender } from './patient-sender.ts';

export interface SeriesRecorderOptions {
  readonly client: Client;
  /** Who tells, as a qualified name: `example.org/fruit-controller`. */
  readonly controller: string;
  /** Which of several: the pod's name. */
  readonly instance: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Told what could not be told. */
  readonly onError?: (error: unknown) => void;
}

/** What was done to an object, and why. */
export interface Deed {
  readonly type: 'Normal' | 'Warning';
  /** For programs: `Scaled`. */
  readonly reason: string;
  /** What the controller did: `ScaleUp`. */
  readonly action: string;
  readonly note: string;
  /** Another object that has to do with it. */
  readonly related?: { readonly type: ResourceType; readonly object: KubernetesObject };
}

const MAX_NOTE = 1_024;
const MAX_WORD = 128;
/** A series that goes on is written so often, whatever its length. */
const REFRESH_MS = 30 * 60_000;
/** A series is over when nothing came for so long. */
const SILENCE_MS = 6 * 60_000;
/** So many series at a time; the one that has been silent for longest makes room. */
const MAX_SERIES = 4_096;

/**
 * Tells people what happened, as events.k8s.io/v1 events: what happens again makes a series, of which the server hears
 * at its second time, then every half hour, and when it is over. Never fails and never makes its caller wait.
 */
export class SeriesRecorder implements AsyncDisposable {
  readonly #options: SeriesRecorderOptions;
  readonly #clock: Clock;
  readonly #names: EventNames;
  readonly #sender: PatientSender;
  /** In the order they were last seen. */
  readonly #series = new Map<string, Series>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: SeriesRecorderOptions) {
    const { clock = realClock, random = systemRandom, onError } = options;
    this.#options = options;
    this.#clock = clock;
    this.#names = new EventNames(clock, random);
    this.#sender = new PatientSender({ clock, random, onError });
  }

  record(type: ResourceType, object: KubernetesObject, deed: Deed): void {
    if (this.#isClosed) return;
    const event = this.#describe(type, object, deed);
    const key = keyOf(event);
    const known = this.#series.get(key);
    if (known === undefined) this.#begin(key, event);
    else this.#goOn(key, known);
  }

  /** Resolves when all that was recorded so far is told, or given up. */
  async flush(): Promise<void> {
    await this.#sender.flush();
  }

  /** What is recorded from now on is not told; series that go on are told as they stand. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const series of this.#series.values()) if (series.count > series.toldCount) this.#tell(series);
    this.#series.clear();
    await this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #begin(key: string, event: Event): void {
    const named = { name: event.metadata.name ?? '', isMaybeCreated: false };
    const series = {
      event,
      named,
      count: 1,
      toldCount: 1,
      seenMs: this.#clock.monotonic(),
      toldMs: this.#clock.monotonic(),
    };
    this.#series.set(key, { ...series, lastObservedTime: event.eventTime ?? '' });
    if (this.#series.size > MAX_SERIES) this.#end(this.#series.keys().next().value!);
    this.#sender.push(
      () => this.#create(event, named),
      () => this.#series.delete(key),
    );
    this.#timer ??= this.#clock.setTimer(SILENCE_MS, () => this.#look());
  }

  #goOn(key: string, series: Series): void {
    series.count++;
    series.seenMs = this.#clock.monotonic();
    series.lastObservedTime = this.#now();
    this.#series.delete(key);
    this.#series.set(key, series);
    if (series.count === 2) this.#tell(series);
  }

  /** Ends series that have fallen silent, and tells of those that go on. */
  #look(): void {
    const nowMs = this.#clock.monotonic();
    for (const [key, series] of this.#series) {
      if (nowMs - series.seenMs >= SILENCE_MS) this.#end(key);
      else if (series.count > series.toldCount && nowMs - series.toldMs >= REFRESH_MS) this.#tell(series);
    }
    const isIdle = this.#series.size === 0 || this.#isClosed;
    this.#timer = isIdle ? undefined : this.#clock.setTimer(SILENCE_MS, () => this.#look());
  }

  #end(key: string): void {
    const series = this.#series.get(key)!;
    this.#series.delete(key);
    if (series.count > series.toldCount) this.#tell(series);
  }

  #tell(series: Series): void {
    const { event, named, count, lastObservedTime } = series;
    series.toldCount = count;
    series.toldMs = this.#clock.monotonic();
    this.#sender.push(() => this.#update({ ...event, series: { count, lastObservedTime } }, named));
  }

  async #create(event: Event, named: NamedEvent): Promise<void> {
    await createEvent(
      named,
      (name) => this.#options.client.create(Event, { ...event, metadata: { ...event.metadata, name } }),
      () => this.#names.another(event.regarding?.name ?? ''),
    );
  }

  async #update(event: Event, named: NamedEvent): Promise<void> {
    const { namespace = '' } = event.metadata;
    const { name } = named;
    const patch = { type: 'merge', body: { series: event.series } } as const;
    try {
      await this.#options.client.patch(Event, { namespace, name }, patch);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(event, named);
    }
  }

  #describe(kind: ResourceType, object: KubernetesObject, { type, reason, action, note, related }: Deed): Event {
    const { controller, instance } = this.#options;
    const { namespace = '', name = '' } = object.metadata;
    return {
      apiVersion: Event.apiVersion,
      kind: Event.kind,
      metadata: { namespace: namespace || 'default', name: this.#names.next(name) },
      eventTime: this.#now(),
      reportingController: controller,
      reportingInstance: instance.slice(0, MAX_WORD),
      type,
      reason: reason.slice(0, MAX_WORD),
      action: action.slice(0, MAX_WORD),
      note: note.slice(0, MAX_NOTE),
      regarding: referenceTo(kind, object),
      ...(related && { related: referenceTo(related.type, related.object) }),
    };
  }

  #now(): string {
    return formatMicroTime(Math.floor(this.#clock.now() * 1_000));
  }
}

interface Series {
  readonly event: Event;
  readonly named: NamedEvent;
  count: number;
  /** What the server knows, or soon will. */
  toldCount: number;
  seenMs: number;
  toldMs: number;
  lastObservedTime: string;
}

function referenceTo(type: ResourceType, { metadata }: KubernetesObject) {
  const { namespace, name = '', uid = '', resourceVersion } = metadata;
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    name,
    uid,
    ...(namespace && { namespace }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** Events that differ in nothing but their note, time and version of the object are one series. */
function keyOf({ type, action, reason, reportingController, reportingInstance, regarding, related }: Event): string {
  const identity = (reference: Event['regarding']) =>
    reference && [reference.apiVersion, reference.kind, reference.namespace, reference.name, reference.uid];
  const who = [reportingController, reportingInstance];
  return JSON.stringify([type, action, reason, ...who, identity(regarding), identity(related)]);
}
