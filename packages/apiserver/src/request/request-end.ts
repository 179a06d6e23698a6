import type { ApiRequest } from './exchange.ts';

/** Calls back once when the request's signal aborts; at once when it has. Gives the way to stop listening. */
export function onRequestEnd(request: Pick<ApiRequest, 'signal' | 'onEnd'>, callback: () => void): () => void {
  return request.onEnd === undefined ? onAbort(request.signal, callback) : request.onEnd(callback);
}

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * As `addEventListener('abort')`, for signals that thousands wait for: the signal has one listener, and who waits costs no
 * more than a place in a set.
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
  const tell = (): void => {
    for (const callback of [...callbacks]) callback();
    callbacks.clear();
  };
  signal.addEventListener('abort', tell, { once: true });
  return callbacks;
}
