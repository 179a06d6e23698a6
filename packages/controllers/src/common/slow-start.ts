import { fewAtATime } from './few-at-a-time.ts';

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
