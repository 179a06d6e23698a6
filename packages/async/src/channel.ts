import { onAbort } from './abort.ts';
import { AsyncError } from './async-error.ts';
import { Fifo } from './fifo.ts';

interface WaitingSender<T> {
  readonly value: T;
  accepted(): void;
  refused(reason: unknown): void;
}

interface WaitingReceiver<T> {
  received(result: IteratorResult<T, undefined>): void;
  failed(reason: unknown): void;
}

/**
 * Passes values from producers to a consumer, in the order in which they were sent. Holds at most `capacity` values. When it
 * is full, `send` waits and `trySend` refuses.
 *
 *     for await (const event of channel) handle(event);
 *
 * Leaving the loop closes the channel and discards its values.
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly capacity: number;
  readonly #buffer = new Fifo<T>();
  /** Never both waiting senders and free capacity, nor both waiting receivers and values. */
  readonly #senders = new Fifo<WaitingSender<T>>();
  readonly #receivers = new Fifo<WaitingReceiver<T>>();
  #end: { readonly error?: unknown; readonly isFailure: boolean } | undefined;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1)
      throw new RangeError(`Cannot create a channel for ${capacity} values: it must hold at least one`);
    this.capacity = capacity;
  }

  /** Number of values that wait for the consumer. */
  get size(): number {
    return this.#buffer.size;
  }

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** Returns false, and does not send, when the channel is full or closed. */
  trySend(value: T): boolean {
    if (this.isClosed || this.#buffer.size >= this.capacity) return false;
    const receiver = this.#receivers.shift();
    if (receiver === undefined) this.#buffer.push(value);
    else receiver.received({ done: false, value });
    return true;
  }

  /** Waits for free capacity. Rejects with an `AsyncError` of code ChannelClosed when the channel closes first. */
  send(value: T, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(options.signal.reason);
      if (this.isClosed) return reject(new AsyncError({ code: 'ChannelClosed' }));
      if (this.trySend(value)) return resolve();
      const sender: WaitingSender<T> = {
        value,
        accepted: () => {
          listener[Symbol.dispose]();
          resolve();
        },
        refused: (reason) => {
          listener[Symbol.dispose]();
          reject(reason);
        },
      };
      this.#senders.push(sender);
      const listener = onAbort(options.signal, (reason) => {
        this.#senders.remove(sender);
        reject(reason);
      });
    });
  }

  /** Returns the next value, or `done` once the channel is closed and empty. Rejects with the error given to `fail`. */
  receive(options: { readonly signal?: AbortSignal } = {}): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(options.signal.reason);
      if (this.#buffer.size > 0) return resolve({ done: false, value: this.#takeBuffered() });
      if (this.#end !== undefined) return this.#end.isFailure ? reject(this.#end.error) : resolve(finished);
      const receiver: WaitingReceiver<T> = {
        received: (result) => {
          listener[Symbol.dispose]();
          resolve(result);
        },
        failed: (reason) => {
          listener[Symbol.dispose]();
          reject(reason);
        },
      };
      this.#receivers.push(receiver);
      const listener = onAbort(options.signal, (reason) => {
        this.#receivers.remove(receiver);
        reject(reason);
      });
    });
  }

  /** Ends sending. Values in the channel can still be received. May be called twice. */
  close(): void {
    this.#finish({ isFailure: false });
  }

  /** As `close`, but `receive` rejects with `error` after the last value. */
  fail(error: unknown): void {
    this.#finish({ isFailure: true, error });
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.receive(),
      return: async () => {
        this.close();
        while (this.#buffer.size > 0) this.#buffer.shift();
        return finished;
      },
    };
  }

  #takeBuffered(): T {
    const value = this.#buffer.shift() as T;
    const sender = this.#senders.shift();
    if (sender !== undefined) {
      this.#buffer.push(sender.value);
      sender.accepted();
    }
    return value;
  }

  #finish(end: { readonly error?: unknown; readonly isFailure: boolean }): void {
    if (this.isClosed) return;
    this.#end = end;
    for (let sender = this.#senders.shift(); sender !== undefined; sender = this.#senders.shift())
      sender.refused(new AsyncError({ code: 'ChannelClosed' }, { cause: end.error }));
    for (let receiver = this.#receivers.shift(); receiver !== undefined; receiver = this.#receivers.shift())
      if (end.isFailure) receiver.failed(end.error);
      else receiver.received(finished);
  }
}

const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };
