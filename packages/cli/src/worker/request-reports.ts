import type { RequestLog, RequestRecord } from '@pintle/apiserver';
import { oncePerTurn, realClock, type Timer } from '@pintle/async';
import type { ToMain } from '../workers/messages.ts';

const WATCHES_MS = 1_000;
/** Requests that may wait for the end of a turn; further ones are left out. */
const MAX_WAITING = 1_000;

/** Reports requests and watches of this process to the main process, while they are followed there. */
export class RequestReports {
  readonly #log: RequestLog;
  readonly #notify: (message: ToMain) => void;
  readonly #flush = oncePerTurn(() => this.#send());
  #waiting: RequestRecord[] = [];
  #following: Disposable | undefined;
  #timer: Timer | undefined;

  constructor(log: RequestLog, notify: (message: ToMain) => void) {
    this.#log = log;
    this.#notify = notify;
  }

  follow(isFollowed: boolean): void {
    this.#following?.[Symbol.dispose]();
    this.#timer?.cancel();
    this.#following = undefined;
    if (!isFollowed) return;
    this.#following = this.#log.follow((record) => {
      if (this.#waiting.length >= MAX_WAITING) return;
      this.#waiting.push(record);
      this.#flush();
    });
    this.#reportWatches();
  }

  #send(): void {
    const records = this.#waiting;
    this.#waiting = [];
    this.#notify({ type: 'requests', records });
  }

  #reportWatches(): void {
    this.#notify({ type: 'watches', watches: this.#log.watches() });
    this.#timer = realClock.setTimer(WATCHES_MS, () => this.#reportWatches());
  }
}
