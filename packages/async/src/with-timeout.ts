import { abortable, onAbort } from './abort.ts';
import { AsyncError } from './async-error.ts';
import type { Clock } from './clock.ts';

/**
 * Waits for `work` no longer than `timeoutMs`, then rejects with an `AsyncError` of code TimedOut. A function is given a
 * signal that aborts when the time is over or `signal` aborts, and should stop by it; a bare promise cannot be stopped
 * and is only no longer waited for.
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
