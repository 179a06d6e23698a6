import { createHash } from 'node:crypto';
import { type Clock, TokenBucket } from '@pintle/async';
import type { Event } from '@pintle/kinds/core/v1';
import type { NamedEvent } from './create-event.ts';

/** Event on the server, or about to be: counts every event with the same key. */
interface WrittenEvent extends NamedEvent {
  readonly namespace: string;
  readonly firstTimestamp: string;
  count: number;
  isCreated: boolean;
  seenAt: number;
}

/** Write that an event leads to. */
export interface CorrelatedEvent {
  readonly key: string;
  readonly written: WrittenEvent;
  readonly message: string;
  /** True when it combines several events that differ in their messages. */
  readonly isCombined: boolean;
  /** Number of events with this key so far. */
  readonly count: number;
}

/** Different messages for one object, type and reason before they are combined. */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** Events that one source may record for one object at once; then one every five minutes. */
const SPAM_BURST = 25;
const SPAM_PER_SECOND = 1 / 300;
const MAX_REMEMBERED = 4_096;
/** Time for which servers keep events by default. Counting goes on with a new event then. */
const KEPT_MS = 3_600_000;

/**
 * Correlates events as client-go does: the same event again raises the count of the first, the tenth that differs only in
 * its message is combined with the following ones, and events of an object that has too many are dropped. Remembers the
 * 4,096 most recently used entries of each kind, until they no longer matter.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Recent<{ messages: Set<string>; seenAt: number }>(({ seenAt }) =>
    this.#isOver(seenAt, SIMILAR_MS),
  );
  readonly #written = new Recent<WrittenEvent>(({ seenAt }) => this.#isOver(seenAt, KEPT_MS));
  readonly #spam = new Recent<TokenBucket>((bucket) => bucket.isFull);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns `undefined` when the event is dropped; it still counts. */
  correlate(event: Event): CorrelatedEvent | undefined {
    const { key, message, isCombined } = this.#combine(event);
    const written = this.#written.get(key, () => ({
      name: event.metadata.name ?? '',
      namespace: event.metadata.namespace ?? '',
      firstTimestamp: event.firstTimestamp ?? '',
      count: 0,
      isCreated: false,
      isMaybeCreated: false,
      seenAt: 0,
    }));
    written.count++;
    written.seenAt = this.#clock.monotonic();
    const isSpam = !this.#spam.get(objectKey(event), () => this.#bucket()).tryTake();
    return isSpam ? undefined : { key, written, message, isCombined, count: written.count };
  }

  /** Called when the event could not be written: the next one with its key creates a new event. */
  forget({ key }: CorrelatedEvent): void {
    this.#written.delete(key);
  }

  #combine(event: Event): Pick<CorrelatedEvent, 'key' | 'message' | 'isCombined'> {
    const { message = '', type, reason } = event;
    const kind = keyOf([objectKey(event), type, reason]);
    const now = this.#clock.monotonic();
    const similar = this.#similar.get(kind, () => ({ messages: new Set(), seenAt: now }));
    if (this.#isOver(similar.seenAt, SIMILAR_MS)) similar.messages.clear();
    similar.seenAt = now;
    similar.messages.add(message);
    if (similar.messages.size < MAX_SIMILAR) return { key: keyOf([kind, message]), message, isCombined: false };
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    return { key: kind, message: `(combined from similar events): ${message}`, isCombined: true };
  }

  #isOver(seenAt: number, ms: number): boolean {
    return this.#clock.monotonic() - seenAt > ms;
  }

  #bucket(): TokenBucket {
    return new TokenBucket({ burst: SPAM_BURST, ratePerSecond: SPAM_PER_SECOND, clock: this.#clock });
  }
}

function objectKey({ source, involvedObject }: Event): string {
  const { apiVersion, kind, namespace, name, uid } = involvedObject;
  return keyOf([source?.component, source?.host, apiVersion, kind, namespace, name, uid]);
}

/** Returns a short key: thousands are remembered, and messages may be long. */
function keyOf(parts: readonly (string | undefined)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

/** Map of at most 4,096 entries. Drops the least recently used beyond that, and as soon as they tell no more than new ones would. */
export class Recent<V> {
  readonly #entries = new Map<string, V>();
  readonly #isSpent: (value: V) => boolean;

  constructor(isSpent: (value: V) => boolean) {
    this.#isSpent = isSpent;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string, make: () => V): V {
    const value = this.#entries.get(key) ?? make();
    this.#entries.delete(key);
    this.#dropSpent();
    this.#entries.set(key, value);
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops up to two entries, so that it takes no longer when many are spent, and they become fewer. */
  #dropSpent(): void {
    let left = 2;
    for (const [key, value] of this.#entries) {
      if (left-- === 0 || (this.#entries.size < MAX_REMEMBERED && !this.#isSpent(value))) return;
      this.#entries.delete(key);
    }
  }
}
