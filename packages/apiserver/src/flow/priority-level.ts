import type { Clock, Timer } from '@pintle/async';
import type { PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import type { ApiRequest } from '../request/exchange.ts';
import { onRequestEnd } from '../request/request-end.ts';
import type { FairQueue, QueueSettings, Waiter } from './fair-queues.ts';
import { FairQueues } from './fair-queues.ts';
import type { LevelLimits, LevelShares } from './seat-limits.ts';

/** Reason why a request got no seat. */
export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** Seats of a request, until it returns them with `leave`, once. */
export interface Ticket {
  readonly seats: number;
  /** Time when it got them, and the wait before. */
  readonly sinceMs: number;
  readonly waitedMs: number;
  readonly queue: FairQueue<Waiting> | undefined;
}

export interface Waiting extends Waiter {
  readonly askedMs: number;
  readonly settle: (outcome: Ticket | Refusal) => void;
}

/** A request for seats. */
export interface SeatRequest {
  readonly seats: number;
  /** Returns the id of the flow within its priority level. Called only when the request has to wait. */
  flow(): string;
  readonly request: Pick<ApiRequest, 'signal' | 'onEnd'>;
}

/** Longest wait: a quarter of the time limit of a request. */
const MAX_WAIT_MS = 15_000;
/** A request has at most this number of seats, and at most this fraction of its level's. */
const MAX_SEATS = 10;
const MAX_PART = 0.15;
const NO_LIMITS: LevelLimits = { nominal: 0, lower: 0, upper: 0 };

/** A part of the server's capacity, with the requests that wait for it. Requests are queued only when seats are short. */
export class PriorityLevel {
  readonly name: string;
  readonly #clock: Clock;
  readonly #onShortage: () => void;
  uid = '';
  isExempt = false;
  /** Shares of its configuration. */
  shares: LevelShares = { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: undefined };
  limits = NO_LIMITS;
  /** Smoothed demand. */
  smoothDemand = 0;
  /** Seats, with borrowed and without lent ones. */
  #limit = 0;
  #inUse = 0;
  #wanted = 0;
  #highDemand = 0;
  #settings: QueueSettings | undefined;
  /** `undefined` when requests without a seat are refused. */
  #queues: FairQueues<Waiting> | undefined;

  /** `onShortage` is called when the level could use more seats than it has. */
  constructor(name: string, clock: Clock, onShortage: () => void) {
    this.name = name;
    this.#clock = clock;
    this.#onShortage = onShortage;
  }

  get limit(): number {
    return this.#limit;
  }

  get seatsInUse(): number {
    return this.#inUse;
  }

  get highDemand(): number {
    return this.#highDemand;
  }

  /** Largest number of seats of one request. */
  get maxSeats(): number {
    return Math.max(1, Math.min(MAX_SEATS, Math.ceil(this.limits.nominal * MAX_PART)));
  }

  configure({ metadata, spec }: PriorityLevelConfiguration): void {
    this.uid = metadata.uid ?? '';
    this.isExempt = spec?.type === 'Exempt';
    const { limited, exempt } = spec ?? {};
    this.shares = {
      nominalConcurrencyShares:
        (this.isExempt ? exempt : limited)?.nominalConcurrencyShares ?? (this.isExempt ? 0 : 30),
      lendablePercent: (this.isExempt ? exempt : limited)?.lendablePercent ?? 0,
      borrowingLimitPercent: this.isExempt ? 0 : limited?.borrowingLimitPercent,
    };
    this.#useQueues(this.isExempt ? undefined : settingsOf(limited?.limitResponse));
  }

  setLimit(seats: number): void {
    this.#limit = seats;
    this.#dispatch();
  }

  /** Restarts the measurement of the highest demand. */
  resetDemand(): void {
    this.#highDemand = this.#inUse + this.#wanted;
  }

  /** Returns seats, now or after a wait, or why there are none. */
  take(request: SeatRequest): Ticket | Refusal | Promise<Ticket | Refusal> {
    const { seats } = request;
    this.#noteDemand(seats);
    if (this.isExempt || (this.#wanted === 0 && this.#fits(seats))) return this.#seat(seats, undefined);
    this.#onShortage();
    if (this.#queues === undefined) return 'concurrency-limit';
    return this.#wait(this.#queues, request);
  }

  /** Returns seats. Returns the seconds for which they were held. */
  leave({ seats, sinceMs, queue }: Ticket): number {
    const seconds = (this.#clock.monotonic() - sinceMs) / 1000;
    this.#inUse -= seats;
    if (queue !== undefined) this.#queues?.ended(queue, seats, seconds);
    if (this.#wanted > 0) this.#dispatch();
    return seconds;
  }

  #noteDemand(seats: number): void {
    const demand = this.#inUse + this.#wanted + seats;
    if (demand > this.#highDemand) this.#highDemand = demand;
  }

  /** Accepts a request wider than the level when no other holds seats. */
  readonly #fits = (seats: number): boolean => this.#inUse + seats <= this.#limit || this.#inUse === 0;

  #seat(seats: number, queue: FairQueue<Waiting> | undefined, askedMs?: number): Ticket {
    const sinceMs = this.#clock.monotonic();
    this.#inUse += seats;
    return { seats, sinceMs, waitedMs: askedMs === undefined ? 0 : sinceMs - askedMs, queue };
  }

  #wait(queues: FairQueues<Waiting>, { flow, seats, request }: SeatRequest): Promise<Ticket | Refusal> | Refusal {
    let timer: Timer | undefined;
    let unlisten: (() => void) | undefined;
    let resolve: (outcome: Ticket | Refusal) => void = () => {};
    const answer = new Promise<Ticket | Refusal>((settle) => {
      resolve = settle;
    });
    const waiter: Waiting = {
      flow: flow(),
      seats,
      askedMs: this.#clock.monotonic(),
      settle: (outcome) => {
        this.#wanted -= seats;
        timer?.cancel();
        unlisten?.();
        resolve(outcome);
      },
    };
    if (queues.enqueue(waiter) === undefined) return 'queue-full';
    this.#wanted += seats;
    timer = this.#clock.setTimer(MAX_WAIT_MS, () => this.#giveUp(waiter, 'time-out'));
    unlisten = onRequestEnd(request, () => this.#giveUp(waiter, 'cancelled'));
    return answer;
  }

  #giveUp(waiter: Waiting, why: Refusal): void {
    if (!this.#queues?.remove(waiter)) return;
    waiter.settle(why);
    this.#dispatch();
  }

  #dispatch(): void {
    for (let next = this.#queues?.next(this.#fits); next !== undefined; next = this.#queues?.next(this.#fits)) {
      next.waiter.settle(this.#seat(next.waiter.seats, next.queue, next.waiter.askedMs));
    }
  }

  /** Moves waiting requests to the new queues. Without queues, grants their seats. */
  #useQueues(settings: QueueSettings | undefined): void {
    if (isSame(settings, this.#settings)) return;
    const before = this.#queues;
    this.#settings = settings;
    this.#queues = settings && new FairQueues(settings);
    for (const waiter of before?.all() ?? []) {
      if (this.#queues === undefined) waiter.settle(this.#seat(waiter.seats, undefined, waiter.askedMs));
      else this.#queues.enqueue(waiter, { isForced: true });
    }
  }
}

type LimitResponse = NonNullable<NonNullable<PriorityLevelConfiguration['spec']>['limited']>['limitResponse'];

function settingsOf(response: LimitResponse): QueueSettings | undefined {
  if (response?.type !== 'Queue') return undefined;
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = response.queuing ?? {};
  return { queues, handSize, queueLengthLimit };
}

function isSame(a: QueueSettings | undefined, b: QueueSettings | undefined): boolean {
  return a?.queues === b?.queues && a?.handSize === b?.handSize && a?.queueLengthLimit === b?.queueLengthLimit;
}
