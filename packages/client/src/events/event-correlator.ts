import { type Clock, TokenBucket } from '@pintle/async';
import type { Event } from '@pintle/kinds/core/v1';
import type { NamedEvent } from './create-event.ts';

/** An event on the server, or soon: everything seen under its key is counted in it. */
interface WrittenEvent extends NamedEvent {
  readonly namespace: string;
  readonly firstTimestamp: string;
  count: number;
  isCreated: boolean;
}

/** What is to be written because of an event. */
export interface Sighting {
  readonly key: string;
  readonly written: WrittenEvent;
  readonly message: string;
  /** It stands for several that differ in their messages. */
  readonly isCombined: boolean;
  /** How often it was seen by then. */
  readonly count: number;
}

/** So many different messages about one thing, then they are combined. */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** One object of one source may have so many at once, and one more every five minutes. */
const SPAM_BURST = 25;
const SPAM_PER_SECOND = 1 / 300;
const MAX_REMEMBERED = 4_096;

/**
 * Decides what becomes of an event, as Kubernetes does: the same again is a larger count of the first one, the tenth
 * that differs by nothing but its message is combined with those that follow, and an object that has too many is
 * silenced. The most recent few thousand of everything are remembered.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Recent<{ messages: Set<string>; seenAt: number }>();
  readonly #written = new Recent<WrittenEvent>();
  readonly #spam = new Recent<TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `undefined`: leave it untold, though it counts. */
  see(event: Event): Sighting | undefined {
    const { key, message, isCombined } = this.#combine(event);
    const written = this.#written.get(key, () => ({
      name: event.metadata.name ?? '',
      namespace: event.metadata.namespace ?? '',
      firstTimestamp: event.firstTimestamp ?? '',
      count: 0,
      isCreated: false,
      isMaybeCreated: false,
    }));
    written.count++;
    const isSpam = !this.#spam.get(objectKey(event), () => this.#bucket()).tryTake();
    return isSpam ? undefined : { key, written, message, isCombined, count: written.count };
  }

  /** It could not be written: the next begins anew. */
  forget({ key }: Sighting): void {
    this.#written.delete(key);
  }

  #combine(event: Event): Pick<Sighting, 'key' | 'message' | 'isCombined'> {
    const { message = '', type, reason } = event;
    const kind = JSON.stringify([objectKey(event), type, reason]);
    const now = this.#clock.monotonic();
    const similar = this.#similar.get(kind, () => ({ messages: new Set(), seenAt: now }));
    if (now - similar.seenAt > SIMILAR_MS) similar.messages.clear();
    similar.seenAt = now;
    similar.messages.add(message);
    if (similar.messages.size < MAX_SIMILAR)
      return { key: JSON.stringify([kind, message]), message, isCombined: false };
    for (const oldest of similar.messages) {
      similar.messages.delete(oldest);
      break;
    }
    return { key: kind, message: `(combined from similar events): ${message}`, isCombined: true };
  }

  #bucket(): TokenBucket {
    return new TokenBucket({ burst: SPAM_BURST, ratePerSecond: SPAM_PER_SECOND, clock: this.#clock });
  }
}

function objectKey({ source, involvedObject }: Event): string {
  const { apiVersion, kind, namespace, name, uid } = involvedObject;
  return JSON.stringify([source?.component, source?.host, apiVersion, kind, namespace, name, uid]);
}

/** A map that forgets what was not used for longest. */
class Recent<V> {
  readonly #entries = new Map<string, V>();

  get(key: string, make: () => V): V {
    const value = this.#entries.get(key) ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > MAX_REMEMBERED) this.#entries.delete(this.#entries.keys().next().value!);
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
