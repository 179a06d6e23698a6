import type { Clock, Random } from '@pintle/async';
import { Fifo } from '@pintle/async';
import { ClientError } from '../errors.ts';

interface RetryingSenderOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each item that could not be sent. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Items that may wait; when the queue is full, new ones are dropped. */
const MAX_QUEUED = 1_000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** Sends one item after the other, and retries while the server is unreachable. `push` neither fails nor waits. */
export class RetryingSender {
  readonly #options: RetryingSenderOptions;
  readonly #queue = new Fifo<QueuedItem>();
  #sending: Promise<void> | undefined;

  constructor(options: RetryingSenderOptions) {
    this.#options = options;
  }

  push(send: () => Promise<void>, onDropped: () => void = () => undefined): void {
    if (this.#queue.size >= MAX_QUEUED) {
      this.#options.onError?.(
        new ClientError({ code: 'Dropped', what: `event: ${MAX_QUEUED} events are waiting to be sent` }),
      );
      onDropped();
      return;
    }
    this.#queue.push({ send, onDropped });
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all items pushed so far are sent or dropped. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        await this.#sendWithRetries(next.send);
      } catch (error) {
        next.onDropped();
        this.#options.onError?.(error);
      }
    }
    this.#sending = undefined;
  }

  async #sendWithRetries(send: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await send();
      } catch (error) {
        // A refusal is final; a server that does not respond may come back.
        if (!(error instanceof ClientError) || tries === MAX_TRIES) throw error;
      }
      await clock.sleep(tries === 1 ? RETRY_MS * random.next() : RETRY_MS);
    }
  }
}

interface QueuedItem {
  readonly send: () => Promise<void>;
  readonly onDropped: () => void;
}
