import { createHash } from 'node:crypto';
import { Fifo } from '@pintle/async';

export interface QueueSettings {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** A request that waits for seats. */
export interface Waiter {
  /** Identifies the flow within its priority level. */
  readonly flow: string;
  readonly seats: number;
}

/** One queue, served in the order of arrival. */
export class FairQueue<W extends Waiter> {
  readonly waiters = new Fifo<W>();
  seatsWanted = 0;
  /** Virtual time, in seat seconds, up to which the queue has been served. */
  finish = 0;
}

/** Estimated duration of a request until it ends. */
const GUESS_SECONDS = 0.003;

/**
 * Queues that get equal shares of the seats, however many requests each has (start-time fair queuing):
 *
 *     virtual time   ──0────────4────────8──►          start of the request that was served last
 *     queue a        [0──2][2──4][4──6]                a request lasts for its seats times its seconds
 *     queue b             [2────────6]                 a queue that was empty starts at the current time
 *
 * The queue with the earliest start is next. The estimated duration of a request is corrected when it ends.
 */
export class FairQueues<W extends Waiter> {
  readonly #settings: QueueSettings;
  readonly #queues: FairQueue<W>[];
  #now = 0;
  #size = 0;
  /** Last queue served: queues with the same start alternate. */
  #turn = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.#queues = Array.from({ length: settings.queues }, () => new FairQueue<W>());
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a request to the shortest queue of its flow's hand; `undefined` when that is full. */
  enqueue(waiter: W, { isForced = false } = {}): FairQueue<W> | undefined {
    const queue = this.#handOf(waiter).reduce((best, each) => (each.seatsWanted < best.seatsWanted ? each : best));
    if (queue.waiters.size >= this.#settings.queueLengthLimit && !isForced) return undefined;
    queue.waiters.push(waiter);
    queue.seatsWanted += waiter.seats;
    this.#size++;
    return queue;
  }

  /** Removes a waiting request. False when it was not waiting. */
  remove(waiter: W): boolean {
    for (const queue of this.#handOf(waiter)) {
      const before = queue.waiters.size;
      queue.waiters.remove(waiter);
      if (queue.waiters.size === before) continue;
      this.#forget(queue, waiter);
      return true;
    }
    return false;
  }

  /** Removes and returns the next request, if `fits` accepts its seats. */
  next(fits: (seats: number) => boolean): { readonly waiter: W; readonly queue: FairQueue<W> } | undefined {
    const queue = this.#size === 0 ? undefined : this.#first();
    const waiter = queue?.waiters.peek();
    if (queue === undefined || waiter === undefined || !fits(waiter.seats)) return undefined;
    queue.waiters.shift();
    this.#forget(queue, waiter);
    this.#now = Math.max(this.#now, queue.finish);
    queue.finish = this.#now + waiter.seats * GUESS_SECONDS;
    return { waiter, queue };
  }

  /** Corrects the virtual time of a queue after a request of it has ended. */
  ended(queue: FairQueue<W>, seats: number, seconds: number): void {
    queue.finish += seats * (seconds - GUESS_SECONDS);
  }

  /** Iterates over all waiting requests. */
  *all(): Iterable<W> {
    for (const { waiters } of this.#queues) yield* waiters;
  }

  #handOf({ flow }: W): FairQueue<W>[] {
    const { queues, handSize } = this.#settings;
    return dealHand(flow, queues, handSize).map((index) => this.#queues[index]!);
  }

  #first(): FairQueue<W> | undefined {
    let best: FairQueue<W> | undefined;
    let bestStart = Number.POSITIVE_INFINITY;
    const count = this.#queues.length;
    const after = this.#turn;
    for (let step = 1; step <= count; step++) {
      const index = (after + step) % count;
      const queue = this.#queues[index]!;
      const start = Math.max(this.#now, queue.finish);
      if (queue.waiters.size === 0 || start >= bestStart) continue;
      best = queue;
      bestStart = start;
      this.#turn = index;
    }
    return best;
  }

  #forget(queue: FairQueue<W>, { seats }: W): void {
    queue.seatsWanted -= seats;
    this.#size--;
  }
}

/**
 * Returns the queues of a flow by shuffle sharding: `handSize` different ones of `queues`, the same at every call. Two flows
 * rarely have the same hand, so that one that floods its queues leaves a free queue to nearly every other.
 */
export function dealHand(flow: string, queues: number, handSize: number): number[] {
  let rest = createHash('sha256').update(flow).digest().readBigUInt64BE();
  const hand: number[] = [];
  for (let left = queues; hand.length < Math.min(handSize, queues); left--) {
    hand.push(cardAt(hand, Number(rest % BigInt(left))));
    rest /= BigInt(left);
  }
  return hand;
}

/** Returns the card at an index among those that are not in the hand. */
function cardAt(hand: readonly number[], index: number): number {
  let card = index;
  for (const taken of [...hand].sort((a, b) => a - b)) if (taken <= card) card++;
  return card;
}
