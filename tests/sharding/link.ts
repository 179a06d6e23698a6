import { setMaxListeners } from 'node:events';
import type { Deferred, SteppedClock } from '@pintle/async';
import { abortable, deferred, onAbort, type SeededRandom } from '@pintle/async';
import { ClientError, type Transport, type TransportRequest, type TransportResponse } from '@pintle/client';
import { FENCE_HEADER } from '@pintle/machinery/selectors';

/** Requests that do not reach the server, or answers that do not come back. */
export interface Partition {
  readonly side: 'requests' | 'answers' | 'both';
  /** False: what was sent arrives late, when the partition ends, even if nobody waits for it any more. */
  readonly isLossy: boolean;
}

/** Time after which a connection through a lossy partition breaks. */
const BREAKS_AFTER_MS = 15_000;
/** A promise of its own for each who waits: one for all would keep everything that ever waited. */
const never = (): Promise<never> => new Promise<never>(() => undefined);

export interface LinkDependencies {
  readonly clock: SteppedClock;
  readonly random: SeededRandom;
  readonly serve: Transport['send'];
  /** Called whenever a message moves. */
  readonly onActivity: () => void;
  /** Share of requests that take up to `maxDelayMs` on their way. */
  readonly delayed: number;
  readonly maxDelayMs: number;
  readonly isFenced: boolean;
}

/** Connection of one process to the server, with every fault that a network and a scheduler can produce. */
export class Link implements Transport {
  readonly isProbed = true;
  readonly #dependencies: LinkDependencies;
  #resumed: Deferred<void> | undefined;
  #partition: (Partition & { readonly healed: Deferred<void> }) | undefined;
  readonly #died = new AbortController();
  #onFencedWrite: (() => void) | undefined;
  /** Writes that the server refused because of their fence. */
  refusedWrites = 0;

  constructor(dependencies: LinkDependencies) {
    this.#dependencies = dependencies;
    setMaxListeners(0, this.#died.signal);
  }

  get isPartitioned(): boolean {
    return this.#partition !== undefined;
  }

  pause(): void {
    this.#resumed ??= deferred();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  partition(partition: Partition): void {
    this.heal();
    this.#partition = { ...partition, healed: deferred() };
  }

  heal(): void {
    this.#partition?.healed.resolve();
    this.#partition = undefined;
  }

  /** Nothing is sent or received any more. Writes that are on their way may still arrive. */
  kill(): void {
    this.#died.abort();
    this.#onFencedWrite = undefined;
  }

  /** Calls back when the next fenced write is about to be sent: its process has already checked that it may. */
  atFencedWrite(callback: (() => void) | undefined): void {
    this.#onFencedWrite = callback;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#died.signal.aborted) return never();
    if (request.headers?.[FENCE_HEADER] !== undefined) {
      const callback = this.#onFencedWrite;
      this.#onFencedWrite = undefined;
      callback?.();
    }
    await this.#resumed?.promise;
    return await abortable(this.#exchange(request), request.signal);
  }

  async #exchange(request: TransportRequest): Promise<TransportResponse> {
    const { serve, clock, random, delayed, maxDelayMs, isFenced, onActivity } = this.#dependencies;
    onActivity();
    await this.#cross('requests');
    if (random.next() < delayed) await clock.sleep(random.below(maxDelayMs));
    const { [FENCE_HEADER]: fence, ...others } = request.headers ?? {};
    const headers = isFenced && fence !== undefined ? { ...others, [FENCE_HEADER]: fence } : others;
    const connection = new AbortController();
    const listeners: Disposable[] = [];
    const stopListening = (): void => {
      for (const listener of listeners) listener[Symbol.dispose]();
    };
    if (request.method === 'GET') {
      // The server notices that a reader is gone; a write that it has got is carried out.
      if (this.#died.signal.aborted || request.signal?.aborted) return never();
      listeners.push(onAbort(request.signal, (reason) => connection.abort(reason)));
      listeners.push(onAbort(this.#died.signal, (reason) => connection.abort(reason)));
    }
    const response = await serve({ ...request, headers, signal: connection.signal });
    if (fence !== undefined && response.status === 409 && isFencedBody(response.body)) this.refusedWrites++;
    onActivity();
    if (response.body instanceof Uint8Array) stopListening();
    await this.#arrive();
    if (response.body instanceof Uint8Array) return response;
    return { ...response, body: this.#stream(response.body, request.signal, stopListening) };
  }

  async *#stream(
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
    onEnd: () => void,
  ): AsyncIterable<Uint8Array> {
    try {
      for await (const chunk of body) {
        this.#dependencies.onActivity();
        await abortable(this.#arrive(), signal);
        yield chunk;
      }
    } finally {
      onEnd();
    }
  }

  async #arrive(): Promise<void> {
    await this.#cross('answers');
    await this.#resumed?.promise;
    if (this.#died.signal.aborted) await never();
    this.#dependencies.onActivity();
  }

  async #cross(side: 'requests' | 'answers'): Promise<void> {
    for (let partition = this.#partition; partition !== undefined; partition = this.#partition) {
      if (partition.side !== 'both' && partition.side !== side) return;
      if (!partition.isLossy) await partition.healed.promise;
      else {
        const broken = this.#dependencies.clock.sleep(BREAKS_AFTER_MS);
        await Promise.race([broken, partition.healed.promise]);
        throw new ClientError({ code: 'Unreachable', server: 'the server', isSent: side === 'answers' });
      }
    }
  }
}

function isFencedBody(body: TransportResponse['body']): boolean {
  return body instanceof Uint8Array && Buffer.from(body).includes('ShardFenced');
}
