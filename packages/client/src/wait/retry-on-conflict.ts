import type { Clock, Random } from '@pintle/async';
import { realClock, systemRandom } from '@pintle/async';
import { isConflict } from '@pintle/machinery/errors';

export interface RetryOnConflictOptions {
  /** Default: 5. */
  readonly tries?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
}

const WAIT_MS = 10;

/**
 * Repeats `change` after a conflict. It must read the object from the server each time: a cache may still have the version
 * that the server refused.
 *
 *     await retryOnConflict(async () => {
 *       const object = await client.get(ConfigMap, ref);
 *       await client.update(ConfigMap, { ...object, data });
 *     });
 */
export async function retryOnConflict<T>(change: () => Promise<T>, options: RetryOnConflictOptions = {}): Promise<T> {
  const { tries = 5, signal, clock = realClock, random = systemRandom } = options;
  for (let left = tries - 1; ; left--) {
    signal?.throwIfAborted();
    try {
      return await change();
    } catch (error) {
      if (!isConflict(error) || left <= 0) throw error;
    }
    await clock.sleep(WAIT_MS * (1 + 0.1 * random.next()), signal ? { signal } : {});
  }
}
