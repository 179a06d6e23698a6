import type { Clock, Random } from '@pintle/async';
import { Fifo } from '@pintle/async';
import { ClientError } from '../errors.ts';

interface PatientSenderOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Told what could not be sent. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** So many wait to be sent; when there are more, the new ones are dropped. */
const MAX_QUEUED = 1_000;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/** Sends one thing after the other, and waits for a server that is away. Never fails and never makes anybody wait. */
export class PatientSender {
  readonly #options: PatientSenderOptions;
  readonly #queue = new Fifo<Sending>();
  #sending: Promise<void> | undefined;

  constructor(options: PatientSenderOptions) {
    this.#options = options;
  }

  push(send: () => Promise<void>, onGivenUp: () => void = () => undefined): void {
    if (this.#queue.size >= MAX_QUEUED) {
      this.#options.onError?.(new ClientError({ code: 'Dropped', what: `an event: ${MAX_QUEUED} wait to be sent` }));
      onGivenUp();
      return;
    }
    this.#queue.push({ send, onGivenUp });
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all that was pushed so far is sent, or given up. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        await this.#sendPatiently(next.send);
      } catch (error) {
        next.onGivenUp();
        this.#options.onError?.(error);
      }
    }
    this.#sending = undefined;
  }

  async #sendPatiently(send: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await send();
      } catch (error) {
        // What the server refuses it will refuse again; who is away may come back.
        if (!(error instanceof ClientError) || tries === MAX_TRIES) throw error;
      }
      await clock.sleep(tries === 1 ? RETRY_MS * random.next() : RETRY_MS);
    }
  }
}

interface Sending {
  readonly send: () => Promise<void>;
  readonly onGivenUp: () => void;
}
