import { randomBytes } from 'node:crypto';
import type { ApiResponse } from '@pintle/apiserver';
import { type Deferred, deferred } from '@pintle/async';
import type { SharedWatch, WatchChange, WatchFrame } from '../protocol.ts';

/** Opens a watch as the session's user. Never rejects: a refusal is a response. */
export type OpenShared = (watch: SharedWatch, signal: AbortSignal) => Promise<ApiResponse>;

/** Counts a watch until the returned function is called. Returns a refusal when the session has too many. */
export type HoldWatch = () => (() => void) | ApiResponse;

/** Bytes that wait for a page which does not read. Beyond it the watches wait, and the server judges them as any that is slow. */
const MAX_WAITING_BYTES = 256 * 1024;
/** Beyond it the stream ends: a page that asks without reading gets no more refusals. */
const MAX_UNREAD_BYTES = 512 * 1024;
const encoder = new TextEncoder();

/**
 * Many watches of a page in one stream, because a connection carries a hundred. Each frame is a `WatchFrame` in a line, and
 * as many bytes of that watch as it says.
 */
export class SharedWatches {
  /** Names the stream in requests that change it. It cannot be guessed, and is good for its own session only. */
  readonly id = randomBytes(16).toString('base64url');
  readonly #open: OpenShared;
  readonly #hold: HoldWatch;
  readonly #members = new Map<number, AbortController>();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isOver = false;
  #filled: Deferred<void> = deferred();
  #taken: Deferred<void> = deferred();

  /** A watch is held until its last frame waits to be sent. Default: any number may be. */
  constructor(open: OpenShared, hold: HoldWatch = () => () => {}) {
    this.#open = open;
    this.#hold = hold;
  }

  /** Yields frames until the page is gone, which ends all watches. */
  async *frames(): AsyncGenerator<Uint8Array> {
    try {
      yield lineOf({ stream: this.id });
      for (;;) {
        while (this.#waiting.length === 0 && !this.#isOver) await this.#filled.promise;
        if (this.#isOver) return;
        const waiting = this.#waiting;
        this.#waiting = [];
        this.#waitingBytes = 0;
        this.#filled = deferred();
        this.#taken.resolve();
        this.#taken = deferred();
        yield* waiting;
      }
    } finally {
      this.close();
    }
  }

  change({ open, close }: WatchChange): void {
    for (const watch of open) this.#add(watch);
    for (const id of close) this.#members.get(id)?.abort();
  }

  close(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const member of this.#members.values()) member.abort();
    this.#filled.resolve();
    this.#taken.resolve();
  }

  #add(watch: SharedWatch): void {
    if (this.#isOver || this.#members.has(watch.id)) return;
    const held = this.#hold();
    if (typeof held === 'function') this.#begin(watch, held);
    else this.#refuse(watch, held);
  }

  #begin(watch: SharedWatch, release: () => void): void {
    const stop = new AbortController();
    this.#members.set(watch.id, stop);
    void this.#pass(watch, stop.signal).finally(() => {
      this.#members.delete(watch.id);
      release();
    });
  }

  #refuse({ id }: SharedWatch, { status, body }: ApiResponse): void {
    this.#put({ id, status });
    if (body instanceof Uint8Array) this.#put({ id, bytes: body.length }, body);
    this.#put({ id, isOver: true });
    if (this.#waitingBytes > MAX_UNREAD_BYTES) this.close();
  }

  async #pass(watch: SharedWatch, signal: AbortSignal): Promise<void> {
    const { id } = watch;
    const { status, body } = await this.#open(watch, signal);
    await this.#room();
    this.#put({ id, status });
    try {
      for await (const chunk of body instanceof Uint8Array ? [body] : body) {
        await this.#room();
        if (signal.aborted) break;
        if (chunk.length > 0) this.#put({ id, bytes: chunk.length }, chunk);
      }
    } catch {
      // A watch that breaks is over: the page resumes it.
    }
    await this.#room();
    this.#put({ id, isOver: true });
  }

  /** Resolves when the page has read enough for another frame. */
  async #room(): Promise<void> {
    while (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isOver) await this.#taken.promise;
  }

  #put(head: WatchFrame, bytes?: Uint8Array): void {
    if (this.#isOver) return;
    for (const part of [lineOf(head), ...(bytes === undefined ? [] : [bytes])]) {
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
    }
    this.#filled.resolve();
  }
}

function lineOf(frame: WatchFrame): Uint8Array {
  return encoder.encode(`${JSON.stringify(frame)}\n`);
}

const MAX_CHANGES = 1_000;

/** Reads the body of a change; `undefined` when it has another form. */
export function watchChangeIn(body: unknown): WatchChange | undefined {
  const { open, close } = (body ?? {}) as { open?: unknown; close?: unknown };
  if (!Array.isArray(open) || !Array.isArray(close) || open.length + close.length > MAX_CHANGES) return undefined;
  if (!open.every(isSharedWatch) || !close.every(isId)) return undefined;
  return { open, close };
}

function isSharedWatch(value: unknown): value is SharedWatch {
  const { id, path, query, accept } = (value ?? {}) as Partial<Record<keyof SharedWatch, unknown>>;
  const isText = (text: unknown, form: RegExp): boolean => typeof text === 'string' && form.test(text);
  // As a request line and a header are limited.
  return (
    isId(id) &&
    isText(path, /^\/[!"$-;=@-~]{0,2000}$/) &&
    isText(query, /^[!-~]{0,4000}$/) &&
    isText(accept, /^[ -~]{0,300}$/)
  );
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
