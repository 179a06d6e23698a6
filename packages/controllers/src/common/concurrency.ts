import { TokenBucket } from '@pintle/async';
import type { Manager } from '@pintle/operator';

/** Requests that run at the same time. Bounds how long requests of other clients wait behind them. */
const IN_FLIGHT = 32;

/** Like `Promise.allSettled`, but with a bounded number of calls at a time, begun in order. */
export async function allSettledLimited<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes = new Array<PromiseSettledResult<R>>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      try {
        outcomes[index] = { status: 'fulfilled', value: await work(items[index]!, index) };
      } catch (reason) {
        outcomes[index] = { status: 'rejected', reason };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, worker));
  return outcomes;
}

/**
 * Calls `work` `count` times in batches of doubling size and stops after a batch with a failure, because the next calls
 * would most likely fail too. Returns the number of successful calls and the first failure.
 */
export async function slowStartBatch(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly done: number; readonly error?: unknown }> {
  let done = 0;
  let index = 0;
  for (let batch = Math.min(1, count); batch > 0; batch = Math.min(2 * batch, count - index)) {
    const indexes = Array.from({ length: batch }, () => index++);
    const outcomes = await allSettledLimited(indexes, work);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    done += batch - failed.length;
    if (failed.length > 0) return { done, error: failed[0]!.reason };
  }
  return { done };
}

/**
 * Limits the rate at which a controller creates pods: 5,000 at once, then 250 a second. That leaves room for other
 * clients, and time to undo a mistaken replica count.
 */
export function podRateLimiter({ clock }: Manager): TokenBucket {
  return new TokenBucket({ clock, burst: 5_000, ratePerSecond: 250 });
}
