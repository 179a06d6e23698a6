import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { StoreEvent, WatchBatch } from '../store.ts';
import { RangeTable } from './range-table.ts';

/** A subscriber that follows the store live. */
export interface Subscriber {
  readonly range: KeyRange;
  /** Accepts a batch without blocking. */
  offer(batch: WatchBatch): void;
  /** Called when an event cannot be created, because a record that it must show cannot be read. */
  fail(error: unknown): void;
  end(): void;
}

/** Effect of a transaction on one key, as far as the hub needs it. */
interface KeyChange {
  readonly entry: { readonly key: string };
}

/**
 * Delivers every durable transaction to the subscribers whose range it affects, in the order of revisions. An event is
 * created once, when the first subscriber needs it, and shared by all.
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

  /** Everything up to this revision was delivered to the subscribers. */
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

  /** Publishes a transaction. One without changes only advances the revision. */
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

  /** Returns a list, because a subscriber that is full leaves the table during delivery. */
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
