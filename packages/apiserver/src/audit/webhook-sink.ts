import type { Clock, Random } from '@pintle/async';
import { Backoff, withTimeout } from '@pintle/async';
import type { AuditEvent } from './audit-event.ts';
import type { ClosableSink } from './audit-sink.ts';
import { encodeAuditEvent } from './encode-event.ts';

/** Sends an EventList as JSON to the webhook. Returns the status of the response; rejects without one. */
export type SendEvents = (body: Uint8Array, options: { readonly signal: AbortSignal }) => Promise<number>;

export interface WebhookSinkOptions {
  readonly send: SendEvents;
  readonly clock: Clock;
  readonly random: Random;
  /** Events that may wait; further ones are dropped and counted. Default 10,000. */
  readonly maxQueued?: number;
  /** Bytes that may wait, likewise. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** Events in one request. Default 400. */
  readonly maxBatch?: number;
  /** Time for which an event waits for others. Default 30 s. */
  readonly maxWaitMs?: number;
  /** Delay before the first retry; longer before each further one. Default 10 s. */
  readonly initialBackoffMs?: number;
  /** Called when events are lost. */
  readonly onError?: (error: unknown) => void;
}

const DEFAULTS = {
  maxQueued: 10_000,
  maxQueuedBytes: 64 * 1024 * 1024,
  maxBatch: 400,
  maxWaitMs: 30_000,
  initialBackoffMs: 10_000,
};
const TRIES = 5;
const MAX_BACKOFF_MS = 60_000;
const TIMEOUT_MS = 30_000;
/** Time limit for the last events of a server that stops. */
const FINAL_TIMEOUT_MS = 5_000;

/**
 * Sends audit events in batches to a webhook. No request waits for it. Failed batches are retried, and dropped and counted when
 * too much waits or five tries have failed.
 */
export class WebhookSink implements ClosableSink, AsyncDisposable {
  readonly #options: WebhookSinkOptions & typeof DEFAULTS;
  readonly #stopping = new AbortController();
  #queue: string[] = [];
  #queuedBytes = 0;
  #sending: Promise<void> | undefined;
  /** Ends the wait for more events. */
  #hurry: (() => void) | undefined;
  #isClosed = false;
  #dropped = 0;

  constructor(options: WebhookSinkOptions) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Events lost because the webhook failed or did not keep up. */
  get dropped(): number {
    return this.#dropped;
  }

  write(event: AuditEvent): void {
    this.writeEncoded(encodeAuditEvent(event));
  }

  writeEncoded(json: string): void {
    const { maxQueued, maxQueuedBytes, maxBatch } = this.#options;
    const isFull = this.#queue.length >= maxQueued || this.#queuedBytes + json.length > maxQueuedBytes;
    if (this.#isClosed || isFull) {
      this.#dropped++;
      return;
    }
    this.#queue.push(json);
    this.#queuedBytes += json.length;
    if (this.#queue.length >= maxBatch) this.#hurry?.();
    this.#sending ??= this.#drain();
  }

  /** Sends the waiting events once, with a short time limit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopping.abort(new Error('The server is stopping'));
    this.#hurry?.();
    await this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#queue.length < this.#options.maxBatch && !this.#isClosed) await this.#gather();
      const batch = this.#queue.splice(0, this.#options.maxBatch);
      for (const json of batch) this.#queuedBytes -= json.length;
      await this.#deliver(batch);
    }
    this.#sending = undefined;
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(this.#options.maxWaitMs, () => this.#hurry?.());
      this.#hurry = () => {
        this.#hurry = undefined;
        timer.cancel();
        resolve();
      };
    });
  }

  async #deliver(batch: readonly string[]): Promise<void> {
    const { clock, random, initialBackoffMs, onError } = this.#options;
    const body = Buffer.from(
      `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${batch.join()}]}`,
    );
    const backoff = new Backoff({
      initialMs: initialBackoffMs,
      maxMs: MAX_BACKOFF_MS,
      factor: 1.5,
      jitter: 0.2,
      random,
    });
    for (let tries = 1; ; tries++) {
      const failure = await this.#try(body);
      if (failure === undefined) return;
      if (!failure.isTransient || tries >= TRIES || this.#isClosed) {
        this.#dropped += batch.length;
        onError?.(failure.error);
        return;
      }
      await clock.sleep(backoff.next(), { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  /** Returns the failure, if any; `isTransient` when a retry may succeed. */
  async #try(body: Uint8Array): Promise<{ readonly error: Error; readonly isTransient: boolean } | undefined> {
    const timeoutMs = this.#isClosed ? FINAL_TIMEOUT_MS : TIMEOUT_MS;
    try {
      const status = await withTimeout((signal) => this.#options.send(body, { signal }), timeoutMs, this.#options);
      if (status >= 200 && status < 300) return undefined;
      const error = new Error(`Cannot deliver audit events: the webhook answered ${status}`);
      return { error, isTransient: status === 429 || status >= 500 };
    } catch (cause) {
      return {
        error: new Error('Cannot deliver audit events: the webhook was not reached', { cause }),
        isTransient: true,
      };
    }
  }
}
