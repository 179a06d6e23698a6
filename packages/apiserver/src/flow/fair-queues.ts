import { createHash } from 'node:crypto';
import { Fifo } from '@pintle/async';

export interface QueueSettings {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** A request that waits for seats. */
export interface Waiter {
  /** What tells the flows of a priority level apart. */
  readonly flow: string;
  readonly seats: number;
}

/** One queue: its requests are served in the order in which they came. */
export class FairQueue<W extends Waiter> {
  readonly waiters = new Fifo<W>();
  seatsWanted = 0;
  /** What the queue was given so far, in seat seconds of the common virtual time. */
  finish = 0;
}

/** How long a request is thought to take until it is known. */
const GUESS_SECONDS = 0.003;

/**
 * Queues that get the same share of the seats, however many requests stand in each (start-time fair queuing):
 *
 *     virtual time   ──0────────4────────8──►          the start of what was served last
 *     queue a        [0──2][2──4][4──6]                a request takes its seats for its seconds
 *     queue b             [2────────6]                 and a queue that was empty begins at now, not in the past
 *
 * Next is the queue that would begin first. What a request was thought to take is set right when it has ended.
 */
export class FairQueues<W extends Waiter> {
  readonly #settings: QueueSettings;
  readonly #queues: FairQueue<W>[];
  #now = 0;
  #size = 0;
  /** Queues that would begin at the same time take turns. */
  #turn = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.#queues = Array.from({ length: settings.queues }, () => new FairQueue<W>());
  }

  get size(): number {
    return this.#size;
  }

  /** Puts a request into the shortest queue of its flow's hand; `undefined` when that is full. */
  enqueue(waiter: W, { isForced = false } = {}): FairQueue<W> | undefined {
    const queue = this.#handOf(waiter).reduce((best, each) => (each.seatsWanted < best.seatsWanted ? each : best));
    if (queue.waiters.size >= this.#settings.queueLengthLimit && !isForced) return undefined;
    queue.waiters.push(waiter);
    queue.seatsWanted += waiter.seats;
    this.#size++;
    return queue;
  }

  /** A request does not wait any more. False when it did not. */
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

  /** Takes the request whose turn it is, when `fits` says that there is room for it. */
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

  /** A request that was taken from a queue has ended. */
  ended(queue: FairQueue<W>, seats: number, seconds: number): void {
    queue.finish += seats * (seconds - GUESS_SECONDS);
  }

  /** Everybody who waits, to be put into other queues. */
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
 * The queues that a flow may stand in: `handSize` different ones of `queues`, the same at every call. Two flows share all
 * of theirs about as seldom as two players are dealt the same hand, so one that floods its queues leaves nearly every
 * other flow some queue of its own.
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

/** The card at a place among those that are not in the hand yet. */
function cardAt(hand: readonly number[], place: number): number {
  let card = place;
  for (const taken of [...hand].sort((a, b) => a - b)) if (taken <= card) card++;
  return card;
}
