import type { RequestLog, RequestRecord } from '@pintle/apiserver';
import { oncePerTurn, realClock, type Timer } from '@pintle/async';
import type { ToMain } from '../workers/messages.ts';

const WATCHES_MS = 1_000;
/** Requests that may wait for the end of a turn; further ones are left out. */
const MAX_WAITING = 1_000;

/** Reports requests and watches of this process to the main process, while somebody follows them there. */
export class RequestReports {
  readonly #log: RequestLog;
  readonly #tell: (message: ToMain) => void;
  readonly #flush = oncePerTurn(() => this.#send());
  #waiting: RequestRecord[] = [];
  #following: Disposable | undefined;
  #timer: Timer | undefined;

  constructor(log: RequestLog, tell: (message: ToMain) => void) {
    this.#log = log;
    this.#tell = tell;
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
    this.#tellWatches();
  }

  #send(): void {
    const records = this.#waiting;
    this.#waiting = [];
    this.#tell({ type: 'requests', records });
  }

  #tellWatches(): void {
    this.#tell({ type: 'watches', watches: this.#log.watches() });
    this.#timer = realClock.setTimer(WATCHES_MS, () => this.#tellWatches());
  }
}
