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
