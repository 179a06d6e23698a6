import type { Clock, Timer } from '@pintle/async';
import { StoreError } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { Lease, Version } from './key-history.ts';

interface LeaseKeeperOptions {
  readonly clock: Clock;
  /** True when the key still has the revision that carried the lease. */
  readonly isCurrent: (key: string, revision: Revision) => boolean;
  /** Deletes the key if it still has that revision. */
  readonly expire: (key: string, revision: Revision) => Promise<unknown>;
}

/**
 * Deletes expired keys. Time runs on the monotonic clock, so setting the machine's clock neither shortens nor lengthens
 * a lease; the wall clock is used only when a store opens, and never gives a lease more than its full time.
 *
 * A write that replaces a leased key leaves its old deadline behind, which is ignored when it passes. Old deadlines are dropped
 * when they may be half of all.
 */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions;
  /** Binary heap, earliest deadline first. */
  #deadlines: Deadline[] = [];
  /** Number of deadlines at which the old ones among them are dropped. */
  #dropsAt = FIRST_DROP;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #isClosed = false;

  constructor(options: LeaseKeeperOptions) {
    this.#options = options;
  }

  /** Adds a lease that was just granted. */
  grant(key: string, { revision, sub }: Pick<Version, 'revision' | 'sub'>, lease: Pick<Lease, 'ttlMs'>): void {
    this.#schedule({ key, revision, sub, at: this.#options.clock.monotonic() + lease.ttlMs });
  }

  /** Adds a lease that was granted before the store was opened. */
  resume(key: string, { revision, sub }: Version, lease: Lease): void {
    const left = Math.min(Math.max(lease.expiresAt - this.#options.clock.now(), 0), lease.ttlMs);
    this.#schedule({ key, revision, sub, at: this.#options.clock.monotonic() + left });
  }

  /** When each key that stands under a lease will be deleted, by the wall clock. */
  expirations(): ReadonlyMap<string, number> {
    const { clock, isCurrent } = this.#options;
    const offset = clock.now() - clock.monotonic();
    const current = this.#deadlines.filter(({ key, revision }) => isCurrent(key, revision));
    return new Map(current.map(({ key, at }) => [key, at + offset]));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#deadlines.length = 0;
  }

  #schedule(deadline: Deadline): void {
    if (this.#isClosed) return;
    if (this.#deadlines.length >= this.#dropsAt) this.#dropReplaced();
    push(this.#deadlines, deadline);
    this.#arm();
  }

  #dropReplaced(): void {
    const { isCurrent } = this.#options;
    // In order, deadlines are a heap.
    this.#deadlines = this.#deadlines.filter(({ key, revision }) => isCurrent(key, revision)).sort(compare);
    this.#dropsAt = Math.max(FIRST_DROP, this.#deadlines.length * 2);
  }

  /** Number of deadlines, old ones included. */
  get size(): number {
    return this.#deadlines.length;
  }

  #arm(): void {
    const next = this.#deadlines[0];
    if (next === undefined || this.#isClosed) return;
    if (this.#timer && this.#timer.at <= next.at) return;
    this.#timer?.timer.cancel();
    const wait = Math.min(Math.max(next.at - this.#options.clock.monotonic(), 0), MAX_TIMER_MS);
    this.#timer = { at: next.at, timer: this.#options.clock.setTimer(wait, () => this.#onTimer()) };
  }

  #onTimer(): void {
    this.#timer = undefined;
    const now = this.#options.clock.monotonic();
    while (this.#deadlines.length > 0 && this.#deadlines[0]!.at <= now) this.#expire(pop(this.#deadlines));
    this.#arm();
  }

  #expire(deadline: Deadline): void {
    const { key, revision } = deadline;
    if (!this.#options.isCurrent(key, revision)) return;
    this.#options.expire(key, revision).catch((error: unknown) => {
      if (error instanceof StoreError && error.failure.code === 'NoSpace')
        this.#schedule({ ...deadline, at: this.#options.clock.monotonic() + RETRY_MS });
    });
  }
}

interface Deadline {
  readonly at: number;
  readonly key: string;
  readonly revision: Revision;
  readonly sub: number;
}

/** At the same time, the earlier write expires first: two runs with the same clock delete in the same order. */
function isBefore(a: Deadline, b: Deadline): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.revision === b.revision ? a.sub < b.sub : a.revision < b.revision;
}

function compare(a: Deadline, b: Deadline): number {
  return isBefore(a, b) ? -1 : 1;
}

const FIRST_DROP = 1024;
/** Timers of Node.js end at 2^31 ms; a longer wait is split. */
const MAX_TIMER_MS = 2 ** 30;
const RETRY_MS = 1000;

function push(heap: Deadline[], added: Deadline): void {
  let index = heap.length;
  heap.push(added);
  while (index > 0) {
    const parent = (index - 1) >>> 1;
    if (!isBefore(added, heap[parent]!)) break;
    heap[index] = heap[parent]!;
    index = parent;
  }
  heap[index] = added;
}

function pop(heap: Deadline[]): Deadline {
  const top = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return top;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, last)) break;
    heap[index] = heap[child]!;
    index = child;
  }
  heap[index] = last;
  return top;
}
