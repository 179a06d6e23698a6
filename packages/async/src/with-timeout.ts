import { abortable, onAbort } from './abort.ts';
import { AsyncError } from './async-error.ts';
import type { Clock } from './clock.ts';

/**
 * Waits at most `timeoutMs` for `work`, then rejects with an `AsyncError` of code TimedOut. A function receives a signal that
 * aborts after the timeout or with `signal`, and should stop then. A promise cannot be stopped; only the wait for it ends.
 *
 *     await withTimeout((signal) => request(url, { signal }), 5_000, { clock, signal });
 */
export async function withTimeout<T>(
  work: PromiseLike<T> | ((signal: AbortSignal) => PromiseLike<T>),
  timeoutMs: number,
  options: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<T> {
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  using _timer = options.clock.setTimer(timeoutMs, () => stop.abort(new AsyncError({ code: 'TimedOut', timeoutMs })));
  using _listener = onAbort(options.signal, (reason) => stop.abort(reason));
  return await abortable(typeof work === 'function' ? work(stop.signal) : work, stop.signal);
}
