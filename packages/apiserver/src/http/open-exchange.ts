import type { Clock } from '@pintle/async';
import type { ClientMemory } from '../request/response-memory.ts';

/** A request that is being answered, as the listener sees it. */
export class OpenExchange {
  readonly #clock: Clock;
  readonly #cut: () => void;
  /** Made when somebody asks for the signal. */
  #controller: AbortController | undefined;
  /** Why nobody waits for the answer any more. */
  #goneBecause: string | undefined;
  #listeners: Set<() => void> | undefined;
  /** Made when somebody wants to know: hardly anybody does. */
  #finishListeners: readonly (() => void)[] | undefined;
  /** Ends the wait for the client that is under way. */
  #wake: (() => void) | undefined;
  #blockedSinceMs = Number.POSITIVE_INFINITY;
  #isOver = false;
  #isHandedOver = false;
  #isFinished = false;
  /** Whose memory the answer counts against. */
  #client: ClientMemory | undefined;
  #heldBytes = 0;

  /** `cut` ends the connection, or the stream of an HTTP/2 connection, at once. */
  constructor(clock: Clock, cut: () => void) {
    this.#clock = clock;
    this.#cut = cut;
  }

  /** The time by the listener's clock. */
  get nowMs(): number {
    return this.#clock.now();
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#goneBecause !== undefined) this.#controller.abort(new Error(this.#goneBecause));
    }
    return this.#controller.signal;
  }

  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  /** Calls back when nobody waits for the answer any more; at once when nobody does. */
  onEnd(callback: () => void): () => void {
    if (this.isGone) {
      callback();
      return () => {};
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(callback);
    return () => listeners.delete(callback);
  }

  readonly leave = (): void => this.abort('The client is gone');

  abort(why: string): void {
    if (this.#isOver || this.#goneBecause !== undefined) return;
    this.#goneBecause = why;
    this.#controller?.abort(new Error(why));
    for (const listener of [...(this.#listeners ?? [])]) listener();
    this.#wake?.();
  }

  /** All of the answer was handed over, or it never will be: who leaves now does not matter to anybody. */
  finish(): void {
    this.#isOver = true;
    this.#isFinished = true;
    if (this.#heldBytes > 0) this.#letGo();
    const listeners = this.#finishListeners;
    this.#finishListeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }

  /** The client that was authenticated, if one was. */
  get client(): ClientMemory | undefined {
    return this.#client;
  }

  chargeTo(client: ClientMemory): void {
    this.#client = client;
  }

  /** Counts so many bytes of the answer against its client until the exchange is finished. */
  hold(bytes: number): void {
    if (this.#isFinished || this.#client === undefined) return;
    this.#heldBytes += bytes;
    this.#client.add(bytes);
  }

  #letGo(): void {
    this.#client?.remove(this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** Calls back when it is finished; at once when it is. */
  onFinish(callback: () => void): void {
    if (this.#isFinished) callback();
    else this.#finishListeners = [...(this.#finishListeners ?? []), callback];
  }

  /** All of the answer is in the connection's hands, though the client may not have it yet. */
  handOver(): void {
    this.#isOver = true;
    this.#isHandedOver = true;
    this.#blockedSinceMs = this.#clock.monotonic();
  }

  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** Waits for the client to take something: until `start` calls back, or the client is gone. */
  blocked(start: (taken: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const taken = (): void => {
        if (this.#wake !== taken) return;
        this.#wake = undefined;
        this.#blockedSinceMs = Number.POSITIVE_INFINITY;
        resolve();
      };
      this.#wake = taken;
      this.#blockedSinceMs = this.#clock.monotonic();
      if (this.isGone) taken();
      else start(taken);
    });
  }

  /** Cuts the connection when the client has taken nothing since then. */
  cutIfBlockedSince(timeMs: number): void {
    if (this.#blockedSinceMs < timeMs) this.#cut();
  }
}
