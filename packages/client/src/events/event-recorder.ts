import type { Clock, Random } from '@pintle/async';
import { Fifo, realClock, systemRandom } from '@pintle/async';
import { Event } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import { ClientError } from '../errors.ts';
import type { Client } from '../rest/client.ts';
import type { Sighting } from './event-correlator.ts';
import { EventCorrelator } from './event-correlator.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  /** Who tells: `deployment-controller`. */
  readonly component: string;
  /** On which machine. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Told what could not be told. */
  readonly onError?: (error: unknown) => void;
}

/** What happened to an object, in a word and in a sentence. */
export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  /** For programs: `ScalingReplicaSet`. */
  readonly reason: string;
  readonly message: string;
}

/** So many wait to be sent; when there are more, the new ones are dropped. */
const MAX_QUEUED = 1_000;
const MAX_MESSAGE = 1_024;
const MAX_NAME = 253;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/**
 * Tells people what happened, as core/v1 events: what happens again is counted, what is similar is combined, what is
 * too much is left out. Never fails and never makes its caller wait; events are sent one after the other.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #correlator: EventCorrelator;
  readonly #queue = new Fifo<{ readonly event: Event; readonly sighting: Sighting }>();
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #lastNanos = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#random = options.random ?? systemRandom;
    this.#correlator = new EventCorrelator(this.#clock);
  }

  record(type: ResourceType, object: KubernetesObject, { type: level, reason, message }: Occurrence): void {
    if (this.#isClosed) return;
    const event = this.#describe(type, object, { type: level, reason, message: message.slice(0, MAX_MESSAGE) });
    const sighting = this.#correlator.see(event);
    if (sighting === undefined) return;
    if (this.#queue.size >= MAX_QUEUED) {
      this.#options.onError?.(new ClientError({ code: 'Dropped', what: `an event: ${MAX_QUEUED} wait to be sent` }));
      return;
    }
    this.#queue.push({ event, sighting });
    this.#sending ??= this.#send();
  }

  /** Resolves when all that was recorded so far is told, or given up. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  /** What is recorded from now on is not told; what was, is. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #describe(kind: ResourceType, { metadata }: KubernetesObject, { type, reason, message }: Occurrence): Event {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    const { component, host } = this.#options;
    const time = formatTime(this.#clock.now());
    return {
      apiVersion: Event.apiVersion,
      kind: Event.kind,
      metadata: { namespace: namespace || 'default', name: this.#name(name) },
      involvedObject: {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        name,
        uid,
        resourceVersion,
        ...(namespace && { namespace }),
      },
      reason,
      message,
      type,
      source: { component, ...(host !== undefined && { host }) },
      reportingComponent: component,
      reportingInstance: host ?? '',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  /** `web.18a2f…`: the object's name and a time in nanoseconds, which no two events share. */
  #name(object: string): string {
    const now = BigInt(Math.floor(this.#clock.now() * 1_000)) * 1_000n;
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    const name = `${object}.${this.#lastNanos.toString(16)}`;
    return name.length > MAX_NAME ? this.#random.uuid() : name;
  }

  async #send(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#sendPatiently(next.event, next.sighting).catch((error: unknown) => {
        this.#correlator.forget(next!.sighting);
        this.#options.onError?.(error);
      });
    }
    this.#sending = undefined;
  }

  async #sendPatiently(event: Event, sighting: Sighting): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#write(event, sighting);
      } catch (error) {
        // What the server refuses it will refuse again; who is away may come back.
        if (!(error instanceof ClientError) || tries === MAX_TRIES) throw error;
      }
      await this.#clock.sleep(tries === 1 ? RETRY_MS * this.#random.next() : RETRY_MS);
    }
  }

  async #write(event: Event, { written, message, count }: Sighting): Promise<void> {
    const { client } = this.#options;
    if (written.isCreated) {
      const body = { count, lastTimestamp: event.lastTimestamp, message };
      try {
        await client.patch(Event, written, { type: 'merge', body });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    const { name, namespace, firstTimestamp } = written;
    await client.create(Event, { ...event, metadata: { name, namespace }, firstTimestamp, message, count });
    written.isCreated = true;
  }
}
