import type { Clock, Timer } from '@pintle/async';
import type { Store } from '@pintle/store';

/** Result of an attempt that lost to another write. */
export const CONFLICT: unique symbol = Symbol('conflict');

/**
 * Repeats attempts to change the value at `key` until one wins, and returns its result. A write that lost joins a queue
 * of all others for that key: if all just tried again, one would win while the rest had worked in vain. Calls
 * `checkWanted` before each attempt but the first; it throws when nothing waits for the result any more.
 *
 * The queue only saves work within this process: the store decides which write wins. When no write of the queue has
 * ended for long, those behind go ahead, because one may wait for a webhook that waits for this server.
 */
export async function writeInOrder<T>(
  { store, clock, checkWanted }: { readonly store: Store; readonly clock: Clock; readonly checkWanted?: () => void },
  key: string,
  attempt: () => Promise<T | typeof CONFLICT>,
): Promise<T> {
  const queues = queuesOf(store);
  if (!queues.has(key)) {
    const result = await attempt();
    if (result !== CONFLICT) return result;
  }
  for (;;) {
    const result = await enqueue(queues, key, clock, async () => {
      checkWanted?.();
      return await attempt();
    });
    if (result !== CONFLICT) return result;
  }
}

/** Writes that wait to change one object. */
interface Queue {
  /** Resolves with the write that joined last. */
  last: Promise<void>;
  /** Time when a write last ended, or the queue began. */
  progressMs: number;
}

/** Runs the work when all writes before it have ended, or when none of them ends for long. */
async function enqueue<T>(queues: Map<string, Queue>, key: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), progressMs: clock.monotonic() };
  queues.set(key, queue);
  const result = waitFor(clock, queue).then(work);
  const ended = result.then(ignore, ignore);
  queue.last = ended;
  try {
    return await result;
  } finally {
    queue.progressMs = clock.monotonic();
    if (queue.last === ended) queues.delete(key);
  }
}

const STALL_MS = 2_000;

/** Waits for the queue as long as it makes progress: a write that went ahead would make others work in vain. */
function waitFor(clock: Clock, queue: Queue): Promise<void> {
  const { last } = queue;
  const askedMs = clock.monotonic();
  return new Promise<void>((resolve) => {
    let timer: Timer | undefined;
    const wait = (): void => {
      const leftMs = Math.max(queue.progressMs, askedMs) + STALL_MS - clock.monotonic();
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
