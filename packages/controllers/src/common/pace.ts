import { TokenBucket } from '@pintle/async';
import type { Manager } from '@pintle/operator';

/** Who waits for the server behind a crowd of these waits for no more of them. */
const IN_FLIGHT = 32;

/** Like `Promise.allSettled` of all works, of which only a few are underway at any time; they begin in order. */
export async function fewAtATime<T, R>(
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
 * Calls `work` so many times in batches that double, and stops after a batch in which one failed: what is refused once
 * would be refused a thousand times. Gives how many went well, and the first failure.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<{ readonly done: number; readonly error?: unknown }> {
  let done = 0;
  let index = 0;
  for (let batch = Math.min(1, count); batch > 0; batch = Math.min(2 * batch, count - index)) {
    const indexes = Array.from({ length: batch }, () => index++);
    const outcomes = await fewAtATime(indexes, work);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    done += batch - failed.length;
    if (failed.length > 0) return { done, error: failed[0]!.reason };
  }
  return { done };
}

/**
 * How fast a controller makes pods: as fast as it can for what anybody means, and then no faster than leaves the server
 * to others. Whoever asked for a hundred thousand by mistake has the time to take it back.
 */
export function podPace({ clock }: Manager): TokenBucket {
  return new TokenBucket({ clock, burst: 5_000, ratePerSecond: 250 });
}
