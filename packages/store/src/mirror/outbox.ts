import { deferred, oncePerTurn } from '@pintle/async';
import type { StoreChannel } from './store-channel.ts';

interface OutboxOptions<T> {
  readonly channel: Pick<StoreChannel, 'send'>;
  /** Returns the next message; `undefined` when there is nothing to send. */
  readonly take: () => T | undefined;
  /** Called once, when the channel has ended. */
  readonly onEnd: () => void;
}

/** Sends what a turn of the event loop has gathered as one message. The next waits until that one has left. */
export class Outbox<T> {
  readonly #options: OutboxOptions<T>;
  readonly #flush: () => void;
  #isSending = false;
  #isOver = false;
  #sent = deferred();

  constructor(options: OutboxOptions<T>) {
    this.#options = options;
    this.#flush = oncePerTurn(() => this.#send());
  }

  /** Sends in the next turn. */
  schedule(): void {
    if (!this.#isSending && !this.#isOver) this.#flush();
  }

  /** Resolves once everything before has left, or never will. */
  get emptied(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.schedule();
    return this.#sent.promise;
  }

  #send(): void {
    if (this.#isSending || this.#isOver) return;
    const message = this.#options.take();
    if (message === undefined) {
      this.#settle();
      return;
    }
    this.#isSending = true;
    this.#options.channel.send(message).then(
      () => {
        this.#isSending = false;
        this.#settle();
        this.#flush();
      },
      () => this.end(),
    );
  }

  /** Nothing is sent any more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle();
    this.#options.onEnd();
  }

  #settle(): void {
    this.#sent.resolve();
    this.#sent = deferred();
  }
}
