import type { Clock, Timer } from '@pintle/async';
import type { Store } from '@pintle/store';

/** What an attempt gives when somebody else was faster. */
export const MOVED: unique symbol = Symbol('moved');

/**
 * Makes attempts to change what stands at `key` until one is not too late, and gives its result. Whoever was too late
 * takes turns with all others there from then on: if everybody just tried again, one of them would get through while
 * the rest had worked in vain. `checkWanted` is called before each attempt but the first: it throws when nobody waits
 * for the result any longer.
 *
 * A turn is a courtesy within this process. The store decides who was too late, so nothing breaks without it, and where
 * no turn has ended for long, those who wait go ahead: somebody before may wait for a webhook, and the webhook for us.
 */
export async function changeInTurn<T>(
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
    const result = await takeTurn(queues, key, clock, async () => {
      checkWanted?.();
      return await attempt();
    });
    if (result !== MOVED) return result;
  }
}

/** Those who wait to change one object. */
interface Queue {
  /** Settles with the turn that was asked for last. */
  last: Promise<void>;
  /** When a turn last ended, or the queue began. */
  movedMs: number;
}

/** Works once all turns that were asked for before are over, or none of them ends for long. */
async function takeTurn<T>(queues: Map<string, Queue>, key: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(key) ?? { last: Promise.resolve(), movedMs: clock.monotonic() };
  queues.set(key, queue);
  const turn = patiently(clock, queue).then(work);
  const settled = turn.then(ignore, ignore);
  queue.last = settled;
  try {
    return await turn;
  } finally {
    queue.movedMs = clock.monotonic();
    if (queue.last === settled) queues.delete(key);
  }
}

const PATIENCE_MS = 2_000;

/** A queue that moves is waited for, however long it is: who went ahead of it would make others work in vain. */
function patiently(clock: Clock, queue: Queue): Promise<void> {
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
