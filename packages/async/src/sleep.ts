import { onAbort } from './abort.ts';
import type { Clock, Timer } from './clock.ts';

/** Resolves when the clock's monotonic time reaches `monotonicMs`, immediately when it is past. */
export function sleepUntil(
  clock: Clock,
  monotonicMs: number,
  options?: { readonly signal?: AbortSignal },
): Promise<void> {
  return clock.sleep(Math.max(0, monotonicMs - clock.monotonic()), options);
}

/** Implements `Clock.sleep` with a timer that `start` sets. */
export function sleepWith(start: (callback: () => void) => Timer, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = start(() => {
      listener[Symbol.dispose]();
      resolve();
    });
    const listener = onAbort(signal, (reason) => {
      timer.cancel();
      reject(reason);
    });
  });
}
