import type { ApiRequest } from './exchange.ts';

/** Calls back once when the request's signal aborts, immediately when it has. Returns a function that removes the callback. */
export function onRequestEnd(request: Pick<ApiRequest, 'signal' | 'onEnd'>, callback: () => void): () => void {
  return request.onEnd === undefined ? onAbort(request.signal, callback) : request.onEnd(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * As `addEventListener('abort')`, for signals with thousands of callbacks: the signal has one listener, and each callback
 * costs one entry of a set.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const callbacks = waiting.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  const callAll = (): void => {
    for (const callback of [...callbacks]) callback();
    callbacks.clear();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}

/** An AbortController that follows other signals until `unlink`. (`AbortSignal.any` keeps its sources alive.) */
export class LinkedAbort {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #follow = (): void => {
    const source = this.#sources.find(({ aborted }) => aborted);
    this.abort(source?.reason);
  };

  constructor(...sources: AbortSignal[]) {
    this.#sources = sources;
    for (const source of sources) source.addEventListener('abort', this.#follow, { once: true });
    if (sources.some(({ aborted }) => aborted)) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.unlink();
    this.#controller.abort(reason);
  }

  unlink(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }
}
