import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { StoreEvent, WatchBatch } from '../store.ts';
import { RangeTable } from './range-table.ts';

/** Somebody who follows the store live. */
export interface Subscriber {
  readonly range: KeyRange;
  /** Takes a batch without making anybody wait. */
  offer(batch: WatchBatch): void;
  /** The event could not be made, because what it must show cannot be read. */
  fail(error: unknown): void;
  end(): void;
}

/** What a transaction did to one key, as far as the hub looks at it. */
interface KeyChange {
  readonly entry: { readonly key: string };
}

/**
 * Hands every durable transaction to the subscribers whose range it touches, in the order of revisions. An event is
 * made once, when the first subscriber wants it, and shared by all.
 */
export class WatchHub<Change extends KeyChange> {
  readonly #subscribers = new RangeTable<Subscriber>();
  readonly #all = new Set<Subscriber>();
  readonly #toEvent: (change: Change) => StoreEvent;
  #revision: Revision;

  constructor(revision: Revision, toEvent: (change: Change) => StoreEvent) {
    this.#revision = revision;
    this.#toEvent = toEvent;
  }

  /** Everything up to here was handed to the subscribers. */
  get revision(): Revision {
    return this.#revision;
  }

  add(subscriber: Subscriber): void {
    if (this.#all.has(subscriber)) return;
    this.#all.add(subscriber);
    this.#subscribers.add(subscriber.range, subscriber);
  }

  delete(subscriber: Subscriber): void {
    if (this.#all.delete(subscriber)) this.#subscribers.delete(subscriber.range, subscriber);
  }

  /** Without changes, the history went on where nobody here looks. */
  publish({ revision, changes }: { readonly revision: Revision; readonly changes: readonly Change[] }): void {
    if (this.#subscribers.size > 0 && changes.length > 0) this.#deliver(revision, changes);
    this.#revision = revision;
  }

  end(): void {
    for (const subscriber of [...this.#all]) subscriber.end();
  }

  #deliver(revision: Revision, changes: readonly Change[]): void {
    const first = this.#interested(changes[0]!);
    if (changes.length === 1) {
      if (first.length > 0) this.#offer(first, revision, changes);
      return;
    }
    const wanted = new Map<Subscriber, Change[]>();
    for (const change of changes) for (const subscriber of this.#interested(change)) addTo(wanted, subscriber, change);
    const events = new Map<Change, StoreEvent>();
    for (const [subscriber, matching] of wanted) this.#offer([subscriber], revision, matching, events);
  }

  /** A list, for a subscriber that is full leaves the table while it is being told. */
  #interested(change: Change): Subscriber[] {
    const interested: Subscriber[] = [];
    this.#subscribers.match(change.entry.key, (subscriber) => interested.push(subscriber));
    return interested;
  }

  #offer(
    subscribers: readonly Subscriber[],
    revision: Revision,
    changes: readonly Change[],
    made = new Map<Change, StoreEvent>(),
  ): void {
    try {
      const batch = { revision, events: changes.map((change) => this.#event(change, made)) };
      for (const subscriber of subscribers) subscriber.offer(batch);
    } catch (error) {
      for (const subscriber of subscribers) subscriber.fail(error);
    }
  }

  #event(change: Change, made: Map<Change, StoreEvent>): StoreEvent {
    const known = made.get(change);
    if (known !== undefined) return known;
    const event = this.#toEvent(change);
    made.set(change, event);
    return event;
  }
}

function addTo<Change>(wanted: Map<Subscriber, Change[]>, subscriber: Subscriber, change: Change): void {
  const changes = wanted.get(subscriber);
  if (changes === undefined) wanted.set(subscriber, [change]);
  else changes.push(change);
}
