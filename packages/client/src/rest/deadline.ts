import type { Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';

/** Runs `work` with a signal that aborts with the caller's signal or after `timeoutMs`. `what` is for the error. */
export async function withDeadline<T>(
  clock: Clock,
  {
    timeoutMs,
    signal,
    what,
  }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined; readonly what: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const timer = clock.setTimer(timeoutMs, () => {
    deadline.abort(new ClientError({ code: 'TimedOut', what, afterMs: timeoutMs }));
  });
  const onAbort = () => deadline.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    return await work(deadline.signal);
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
