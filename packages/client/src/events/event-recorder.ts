import type { Clock, Random } from '@pintle/async';
import { realClock, systemRandom } from '@pintle/async';
import { Event } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { Client } from '../rest/client.ts';
import { createEvent } from './create-event.ts';
import type { CorrelatedEvent } from './event-correlator.ts';
import { EventCorrelator } from './event-correlator.ts';
import { EventNames } from './event-names.ts';
import { RetryingSender } from './retrying-sender.ts';

export interface EventRecorderOptions {
  readonly client: Client;
  /** Name of the component that records the events: `deployment-controller`. */
  readonly component: string;
  /** Name of its machine. */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called for each event that could not be written. */
  readonly onError?: (error: unknown) => void;
}

/** Event to record (core/v1). */
export interface NewEvent {
  readonly type: 'Normal' | 'Warning';
  /** Machine-readable reason in CamelCase: `ScalingReplicaSet`. */
  readonly reason: string;
  readonly message: string;
}

const MAX_MESSAGE = 1_024;

/**
 * Records core/v1 events. Counts repeated events, combines similar ones, and drops those of an object that has too many.
 * `record` neither fails nor waits; events are sent one after the other.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #correlator: EventCorrelator;
  readonly #names: EventNames;
  readonly #sender: RetryingSender;
  #isClosed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { clock = realClock, random = systemRandom, onError } = options;
    this.#clock = clock;
    this.#correlator = new EventCorrelator(clock);
    this.#names = new EventNames(clock, random);
    this.#sender = new RetryingSender({ clock, random, onError });
  }

  record(type: ResourceType, object: KubernetesObject, { type: level, reason, message }: NewEvent): void {
    if (this.#isClosed) return;
    const event = this.#describe(type, object, { type: level, reason, message: message.slice(0, MAX_MESSAGE) });
    const correlated = this.#correlator.correlate(event);
    if (correlated === undefined) return;
    this.#sender.push(
      () => this.#write(event, correlated),
      () => this.#correlator.forget(correlated),
    );
  }

  /** Resolves when all events recorded so far are written or dropped. */
  async flush(): Promise<void> {
    await this.#sender.flush();
  }

  /** Ignores events from now on, and resolves when the earlier ones are written or dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #describe(kind: ResourceType, { metadata }: KubernetesObject, { type, reason, message }: NewEvent): Event {
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

  async #write(event: Event, { written, message, isCombined, count }: CorrelatedEvent): Promise<void> {
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
    // Combined events have no reporter in Kubernetes.
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
