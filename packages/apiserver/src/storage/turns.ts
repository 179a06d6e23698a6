import type { Clock } from '@pintle/async';
import type { Store } from '@pintle/store';

/** What an attempt gives when somebody else was faster. */
export const MOVED: unique symbol = Symbol('moved');

/**
 * Makes attempts to change what stands at `key` until one is not too late, and gives its result. Whoever was too late
 * takes turns with all others there from then on: if everybody just tried again, one of them would get through while
 * the rest had worked in vain.
 *
 * A turn is a courtesy within this process. The store decides who was too late, so nothing breaks without it, and who
 * has waited long goes ahead: somebody before may wait for a webhook, and the webhook for us.
 */
export async function changeInTurn<T>(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  key: string,
  attempt: () => Promise<T | typeof MOVED>,
): Promise<T> {
  const queues = queuesOf(store);
  if (!queues.has(key)) {
    const result = await attempt();
    if (result !== MOVED) return result;
  }
  const turn = follow(patiently(clock, queues.get(key)), attempt);
  const settled = turn.then(ignore, ignore);
  queues.set(key, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

const PATIENCE_MS = 2_000;

async function patiently(clock: Clock, previous: Promise<void> | undefined): Promise<void> {
  if (previous === undefined) return;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(PATIENCE_MS, resolve);
    void previous.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

async function follow<T>(turn: Promise<void>, attempt: () => Promise<T | typeof MOVED>): Promise<T> {
  await turn;
  for (;;) {
    const result = await attempt();
    if (result !== MOVED) return result;
  }
}

function ignore(): void {}

/** By key, the last turn that somebody asked for. */
type Queues = Map<string, Promise<void>>;

const queuesByStore = new WeakMap<Store, Queues>();

function queuesOf(store: Store): Queues {
  const known = queuesByStore.get(store);
  if (known !== undefined) return known;
  const queues: Queues = new Map();
  queuesByStore.set(store, queues);
  return queues;
}
