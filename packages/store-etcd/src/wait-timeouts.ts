import type { Clock, Timer } from '@pintle/async';
import { StoreError } from '@pintle/store';

interface WaitTimeoutsOptions {
  readonly clock: Clock;
  /** Called regularly while there are waiters. */
  readonly requestProgress: () => void;
  /** Time after which a waiter is rejected. */
  readonly timeoutMs: number;
}

interface Waiter {
  readonly deadline: number;
  readonly reject: (error: StoreError) => void;
}

const PROGRESS_INTERVAL_MS = 20;

/** Waits until the replica has caught up with the cluster, up to a timeout. */
export class WaitTimeouts {
  readonly #options: WaitTimeoutsOptions;
  /** Waiters in the order of their deadlines. */
  readonly #waiting = new Set<Waiter>();
  #timer: Timer | undefined;

  constructor(options: WaitTimeoutsOptions) {
    this.#options = options;
  }

  /** Resolves with `work`; rejects with Unavailable when that takes too long. */
  wait(work: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { deadline: this.#options.clock.monotonic() + this.#options.timeoutMs, reject };
      this.#waiting.add(waiting);
      this.#arm();
      work.then(resolve, reject).finally(() => this.#waiting.delete(waiting));
    });
  }

  #arm(): void {
    this.#timer ??= this.#options.clock.setTimer(PROGRESS_INTERVAL_MS, () => {
      this.#timer = undefined;
      this.#rejectExpired();
      if (this.#waiting.size === 0) return;
      this.#options.requestProgress();
      this.#arm();
    });
  }

  #rejectExpired(): void {
    const now = this.#options.clock.monotonic();
    for (const { deadline, reject } of this.#waiting) {
      if (deadline > now) return;
      reject(new StoreError({ code: 'Unavailable', problem: 'the replica does not catch up with etcd' }));
    }
  }
}
