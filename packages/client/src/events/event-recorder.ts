import type { Clock, Random } from '@pintle/async';
import { realClock, systemRandom } from '@pintle/async';
import { Event } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Client } from '../rest/client.ts';
import { createEvent } from './create-event.ts';
import type { Sighting } from './event-correlator.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventNames } from './event-names.ts';
import { PatientSender } from './patient-sender.ts';

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

const MAX_MESSAGE = 1_024;

/**
 * Tells people what happened, as core/v1 events: what happens again is counted, what is similar is combined, what is
 * too much is left out. Never fails and never makes its caller wait; events are sent one after the other.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  readonly #names: EventNames;
  readonly #sender: PatientSender;
  #isClosed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { clock = realClock, random = systemRandom, onError } = options;
    this.#clock = clock;
    this.#correlator = new EventCorrelator(clock);
    this.#names = new EventNames(clock, random);
    this.#sender = new PatientSender({ clock, random, onError });
  }

  record(type: ResourceType, object: KubernetesObject, { type: level, reason, message }: Occurrence): void {
    if (this.#isClosed) return;
    const event = this.#describe(type, object, { type: level, reason, message: message.slice(0, MAX_MESSAGE) });
    const sighting = this.#correlator.see(event);
    if (sighting === undefined) return;
    this.#sender.push(
      () => this.#write(event, sighting),
      () => this.#correlator.forget(sighting),
    );
  }

  /** Resolves when all that was recorded so far is told, or given up. */
  async flush(): Promise<void> {
    await this.#sender.flush();
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
      metadata: { namespace: namespace || 'default', name: this.#names.next(name) },
      involvedObject: {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        name,
        ...(uid && { uid }),
        ...(resourceVersion && { resourceVersion }),
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

  async #write(event: Event, { written, message, isCombined, count }: Sighting): Promise<void> {
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
    const { namespace, firstTimestamp } = written;
    // Kubernetes names no reporter of what it combined.
    const reporter = isCombined ? { reportingComponent: '', reportingInstance: '' } : {};
    const described = { ...event, ...reporter, firstTimestamp, message, count };
    await createEvent(
      written,
      (name) => client.create(Event, { ...described, metadata: { name, namespace } }),
      () => this.#names.another(event.involvedObject.name ?? ''),
    );
    written.isCreated = true;
  }
}
