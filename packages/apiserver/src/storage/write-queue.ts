import type { Clock, Timer } from '@pintle/async';
import type { Store } from '@pintle/store';

/** The result of an attempt that another write was faster than. */
export const MOVED: unique symbol = Symbol('moved');

/**
 * Makes attempts to change what stands at `key` until one is not too late, and gives its result. A write that was too late
 * waits in a queue with all others there from then on: if all of them just tried again, one would get through while the
 * rest had worked in vain. `checkWanted` is called before each attempt but the first: it throws when the result is no
 * longer waited for.
 *
 * The queue saves work within this process. The store decides which write was too late, so nothing breaks without it, and
 * where no write of the queue has ended for long, those behind go ahead: one may wait for a webhook, and the webhook for us.
 */
export async function writeInOrder<T>(
  { store, clock, checkWanted }: { readonly store: Store; readonly clock: Clock; readonly checkWanted?: () => void },
  key: string,
  attempt: () => Promise<T | typeof MOVED>,
): Promise<T> {
  const queues = queuesOf(store);
  if (!queues.has(key)) {
    const result = await attempt();
    if (result !== MOVED) return result;
  }
  for (;;) {
    const result = await enqueue(queues, key, clock, async () => {
      checkWanted?.();
      return await attempt();
    });
    if (result !== MOVED) return result;
  }
}

/** The writes that wait to change one object. */
interface Queue {
  /** Ends with the write that joined last. */
  last: Promise<void>;
  /** When a write last ended, or the queue began. */
  movedMs: number;
}

/** Works once all writes before it have ended, or none of them ends for long. */
async function enqueue<T>(queues: Map<string, Queue>, key: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), movedMs: clock.monotonic() };
  queues.set(key, queue);
  const result = waitFor(clock, queue).then(work);
  const ended = result.then(ignore, ignore);
  queue.last = ended;
  try {
    return await result;
  } finally {
    queue.movedMs = clock.monotonic();
    if (queue.last === ended) queues.delete(key);
  }
}

const PATIENCE_MS = 2_000;

/** A queue that moves is waited for, however long it is: a write that went ahead of it would make others work in vain. */
function waitFor(clock: Clock, queue: Queue): Promise<void> {
  const { last } = queue;
  const askedMs = clock.monotonic();
  return new Promise<void>((resolve) => {
    let timer: Timer | undefined;
    const wait = (): void => {
      const leftMs = Math.max(queue.movedMs, askedMs) + PATIENCE_MS - clock.monotonic();
      if (leftMs > 0) timer = clock.setTimer(leftMs, wait);
      else resolve();
    };
    wait();
    void last.then(() => {
      timer?.cancel();
      resolve();
    });
  });
}

function ignore(): void {}

const queuesByStore = new WeakMap<Store, Map<string, Queue>>();

function queuesOf(store: Store): Map<string, Queue> {
  const known = queuesByStore.get(store);
  if (known !== undefined) return known;
  const queues = new Map<string, Queue>();
  queuesByStore.set(store, queues);
  return queues;
}
