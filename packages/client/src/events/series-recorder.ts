import type { Clock, Random, Timer } from '@pintle/async';
import { realClock, systemRandom } from '@pintle/async';
import { Event } from '@pintle/kinds/events/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { formatMicroTime } from '@pintle/machinery/time';
import type { Client } from '../rest/client.ts';
import { createEvent, type NamedEvent } from './create-event.ts';
import { EventNames } from './event-names.ts';
import { RetryingSender } from './retrying-sender.ts';

export interface SeriesRecorderOptions {
  readonly client: Client;
  /** Qualified name of the controller that records the events: `example.org/fruit-controller`. */
  readonly controller: string;
  /** Name of this instance of the controller: the pod's name. */
  readonly instance: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for each event that could not be written. */
  readonly onError?: (error: unknown) => void;
}

/** Event to record (events.k8s.io/v1). */
export interface NewSeriesEvent {
  readonly type: 'Normal' | 'Warning';
  /** Machine-readable reason in CamelCase: `Scaled`. */
  readonly reason: string;
  /** Action of the controller: `ScaleUp`. */
  readonly action: string;
  readonly note: string;
  /** Second object that the action involves. */
  readonly related?: { readonly type: ResourceType; readonly object: KubernetesObject };
}

const MAX_NOTE = 1_024;
const MAX_WORD = 128;
/** Interval at which a series that goes on is written. */
const REFRESH_MS = 30 * 60_000;
/** Time without an event after which a series has ended. */
const SILENCE_MS = 6 * 60_000;
/** Series kept at a time; when there are more, the one without events for longest ends. */
const MAX_SERIES = 4_096;

/**
 * Records events.k8s.io/v1 events. Repeated events form a series, which is written at its second event, then every half hour,
 * and when it ends. `record` neither fails nor waits.
 */
export class SeriesRecorder implements AsyncDisposable {
  readonly #options: SeriesRecorderOptions;
  readonly #clock: Clock;
  readonly #names: EventNames;
  readonly #sender: RetryingSender;
  /** In the order of their last event. */
  readonly #series = new Map<string, Series>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: SeriesRecorderOptions) {
    const { clock = realClock, random = systemRandom, onError } = options;
    this.#options = options;
    this.#clock = clock;
    this.#names = new EventNames(clock, random);
    this.#sender = new RetryingSender({ clock, random, onError });
  }

  record(type: ResourceType, object: KubernetesObject, newEvent: NewSeriesEvent): void {
    if (this.#isClosed) return;
    const event = this.#describe(type, object, newEvent);
    const key = keyOf(event);
    const known = this.#series.get(key);
    if (known === undefined) this.#begin(key, event);
    else this.#extend(key, known);
  }

  /** Resolves when all events recorded so far are written or dropped. */
  async flush(): Promise<void> {
    await this.#sender.flush();
  }

  /** Ignores events from now on, writes the series as they are, and resolves when everything is written or dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const series of this.#series.values()) if (series.count > series.writtenCount) this.#writeLater(series);
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
      writtenCount: 1,
      lastEventMs: this.#clock.monotonic(),
      writtenMs: this.#clock.monotonic(),
    };
    this.#series.set(key, { ...series, lastObservedTime: event.eventTime ?? '' });
    if (this.#series.size > MAX_SERIES) this.#end(this.#series.keys().next().value!);
    this.#sender.push(
      () => this.#create(event, named),
      () => this.#series.delete(key),
    );
    this.#timer ??= this.#clock.setTimer(SILENCE_MS, () => this.#sweep());
  }

  #extend(key: string, series: Series): void {
    series.count++;
    series.lastEventMs = this.#clock.monotonic();
    series.lastObservedTime = this.#now();
    this.#series.delete(key);
    this.#series.set(key, series);
    if (series.count === 2) this.#writeLater(series);
  }

  /** Ends series without recent events, and writes those that go on. */
  #sweep(): void {
    const nowMs = this.#clock.monotonic();
    for (const [key, series] of this.#series) {
      if (nowMs - series.lastEventMs >= SILENCE_MS) this.#end(key);
      else if (series.count > series.writtenCount && nowMs - series.writtenMs >= REFRESH_MS) this.#writeLater(series);
    }
    const isIdle = this.#series.size === 0 || this.#isClosed;
    this.#timer = isIdle ? undefined : this.#clock.setTimer(SILENCE_MS, () => this.#sweep());
  }

  #end(key: string): void {
    const series = this.#series.get(key)!;
    this.#series.delete(key);
    if (series.count > series.writtenCount) this.#writeLater(series);
  }

  #writeLater(series: Series): void {
    const { event, named, count, lastObservedTime } = series;
    series.writtenCount = count;
    series.writtenMs = this.#clock.monotonic();
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

  #describe(
    kind: ResourceType,
    object: KubernetesObject,
    { type, reason, action, note, related }: NewSeriesEvent,
  ): Event {
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
  /** Count on the server, or about to be. */
  writtenCount: number;
  lastEventMs: number;
  writtenMs: number;
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

/** Events that differ only in note, time and resourceVersion belong to one series. */
function keyOf({ type, action, reason, reportingController, reportingInstance, regarding, related }: Event): string {
  const identity = (reference: Event['regarding']) =>
    reference && [reference.apiVersion, reference.kind, reference.namespace, reference.name, reference.uid];
  const reporter = [reportingController, reportingInstance];
  return JSON.stringify([type, action, reason, ...reporter, identity(regarding), identity(related)]);
}
