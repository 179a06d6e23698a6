import { realClock, SeededRandom } from '@pintle/async';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { Store } from '../store.ts';
import { type RecordedWatch, type RecordedWatchStep, type TrueTransaction, toTransaction } from './history.ts';
import { checkLinearizability } from './linearizability.ts';
import { RecordingClient } from './recorder.ts';
import { checkWatch } from './watch-checker.ts';

export interface HistoryRun {
  /** Problems that were found. */
  readonly problems: readonly string[];
  readonly calls: number;
  readonly unknown: number;
  readonly batches: number;
  readonly reloads: number;
}

export interface HistoryRunOptions {
  /** Stores of different servers over the same keys. */
  readonly stores: readonly Store[];
  /** A store without faults, whose events are what happened. */
  readonly witness: Store;
  readonly seed: number;
  /** Resolves when clients and watchers should stop. */
  readonly during: () => Promise<void>;
  readonly clientsPerStore?: number;
}

const everything: KeyRange = { start: '' };
/** A key in every watched range, which marks the end. */
const LAST = '/k2/last';

/** Runs clients and watchers while something goes on, and compares their results with what happened. */
export async function runHistory(options: HistoryRunOptions): Promise<HistoryRun> {
  const { stores, witness, seed, clientsPerStore = 3 } = options;
  const base = await witness.latest();
  const truth: TrueTransaction[] = [];
  const ranges = [everything, { start: '/k1', end: '/k3' }];
  let isOver = false;
  const witnessing = follow(witness, everything, base, truth);
  const clients = stores.flatMap((store, at) =>
    Array.from({ length: clientsPerStore }, (_, index) => {
      const name = `s${at}c${index}`;
      return new RecordingClient(store, { random: new SeededRandom(seed + at * 100 + index), name, keys: 5 });
    }),
  );
  const working = clients.map(async (client) => {
    while (!isOver) await client.work(3);
  });
  const following = stores.flatMap((store) => ranges.map((range) => follow(store, range, base)));
  await options.during();
  isOver = true;
  await Promise.all(working);
  await witness.commit([{ type: 'put', key: LAST, value: Buffer.from('last') }]);
  const watches = (await Promise.all(following)).flat();
  await witnessing;
  const calls = clients.flatMap((client) => client.calls);
  const history = truth.filter(({ changes }) => changes[0]!.key !== LAST);
  const problems = [
    ...checkLinearizability(calls, history),
    ...watches.flatMap((watch) => checkWatch(watch, truth).map((problem) => `watch ${problem}`)),
  ];
  return {
    problems,
    calls: calls.length,
    unknown: calls.filter(({ returnedAt }) => returnedAt === Number.POSITIVE_INFINITY).length,
    batches: watches.reduce((sum, { steps }) => sum + steps.length / 2, 0),
    reloads: watches.length - following.length,
  };
}

/** Watches until the end; starts again where history is lost. */
async function follow(
  store: Store,
  range: KeyRange,
  base: Revision,
  truth?: TrueTransaction[],
): Promise<RecordedWatch[]> {
  const recorded: RecordedWatch[] = [];
  for (let after = base; ; ) {
    const steps: RecordedWatchStep[] = [];
    recorded.push({ range, after, steps });
    const watch = store.watch(range, { after });
    try {
      for await (const batch of watch) {
        truth?.push(toTransaction(batch));
        steps.push({ type: 'batch', batch }, { type: 'progress', revision: watch.progress });
        if (toTransaction(batch).changes[0]!.key === LAST) return recorded;
      }
      throw new Error('Cannot follow the store: it was closed');
    } catch (error) {
      const isLost = error instanceof StoreError && ['Compacted', 'Future'].includes(error.failure.code);
      if (!isLost || truth !== undefined) throw error;
      if ((await store.get(LAST)) !== undefined) return recorded;
      after = store.revision;
      await realClock.sleep(5);
    }
  }
}
