import type { Clock, Timer } from '@pintle/async';
import { StoreError } from '@pintle/store';

interface PatienceOptions {
  readonly clock: Clock;
  /** Called now and then while somebody waits. */
  readonly nudge: () => void;
  /** Nobody waits longer. */
  readonly timeoutMs: number;
}

interface Waiting {
  readonly deadline: number;
  readonly reject: (error: StoreError) => void;
}

const NUDGE_MS = 20;

/** Waits until the replica has seen what the cluster has, which takes a moment, and for no longer than it may. */
export class Patience {
  readonly #options: PatienceOptions;
  /** In the order of their deadlines. */
  readonly #waiting = new Set<Waiting>();
  #timer: Timer | undefined;

  constructor(options: PatienceOptions) {
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
    this.#timer ??= this.#options.clock.setTimer(NUDGE_MS, () => {
      this.#timer = undefined;
      this.#giveUp();
      if (this.#waiting.size === 0) return;
      this.#options.nudge();
      this.#arm();
    });
  }

  #giveUp(): void {
    const now = this.#options.clock.monotonic();
    for (const { deadline, reject } of this.#waiting) {
      if (deadline > now) return;
      reject(new StoreError({ code: 'Unavailable', problem: 'this server does not see what etcd has written' }));
    }
  }
}
