import { SeededRandom } from '@pintle/async';
import { beforeAll, describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import { openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { StoreEvent, WatchBatch } from '../store.ts';
import type { RecordedWatch, RecordedWatchStep, TrueTransaction } from './history.ts';
import { readTruth } from './history.ts';
import { recordWatch } from './recorder.ts';
import { checkWatch } from './watch-checker.ts';

let truth: TrueTransaction[];
let watches: RecordedWatch[];

beforeAll(async () => {
  await using store = await openMemoryStore();
  const random = new SeededRandom(7);
  const ranges = [{ start: '' }, prefixRange('/a/'), prefixRange('/b/'), { start: '/a/2', end: '/b/3' }];
  const isDone = () => store.revision >= 200;
  const watching = ranges.map((range) => recordWatch(store.watch(range), range, 0, isDone));
  for (let index = 0; index < 200; index++) {
    const keys = new Set(
      Array.from({ length: 1 + random.below(3) }, () => `/${'ab'[random.below(2)]}/${random.below(4)}`),
    );
    await store.commit([
      { type: 'put', key: '/a/0', value: Buffer.from(`v${index}`) },
      ...[...keys]
        .filter((key) => key !== '/a/0')
        .map((key) =>
          random.below(4) === 0
            ? { type: 'delete' as const, key }
            : { type: 'put' as const, key, value: Buffer.from(`${key}-${index}`) },
        ),
    ]);
  }
  await store.commit(['/a/2', '/b/2'].map((key) => ({ type: 'put', key, value: Buffer.from('end') })));
  watches = await Promise.all(watching);
  truth = await readTruth(store);
});

test('real watches keep every promise', () => {
  for (const watch of watches) expect(checkWatch(watch, truth)).toEqual([]);
  expect(watches[0]!.steps.length).toBeGreaterThan(300);
});

describe('the checker catches', () => {
  /** Mutates a recorded watch at 40 places; every mutant must be caught for the given reason. */
  function expectCaught(promise: string, mutate: (steps: RecordedWatchStep[], at: number) => boolean): void {
    let caught = 0;
    const { range, after, steps } = watches[0]!;
    for (let at = 4; at < steps.length - 4 && caught < 40; at += 2) {
      const mutated = [...steps];
      if (!mutate(mutated, at)) continue;
      expect(checkWatch({ range, after, steps: mutated }, truth).join('\n')).toContain(`${promise}:`);
      caught++;
    }
    expect(caught).toBeGreaterThan(20);
  }

  test('a missing batch', () => expectCaught('reliable', (steps, at) => steps.splice(at, 2).length === 2));

  test('a missing first batch', () => {
    const { range, after, steps } = watches[0]!;
    expect(checkWatch({ range, after, steps: steps.slice(2) }, truth).join()).toContain('reliable:');
  });

  test('a batch delivered twice', () =>
    expectCaught('unique', (steps, at) => {
      steps.splice(at, 0, steps[at]!);
      return true;
    }));

  test('batches out of order', () =>
    expectCaught('ordered', (steps, at) => {
      [steps[at], steps[at + 2]] = [steps[at + 2]!, steps[at]!];
      return true;
    }));

  test('a split transaction', () =>
    expectCaught('atomic', (steps, at) =>
      editBatch(steps, at, (batch) => {
        if (batch.events.length < 2) return undefined;
        steps.splice(at + 1, 0, { type: 'batch', batch: { ...batch, events: batch.events.slice(1) } });
        return { ...batch, events: batch.events.slice(0, 1) };
      }),
    ));

  test('events of one transaction out of order', () =>
    expectCaught('atomic', (steps, at) =>
      editBatch(steps, at, (batch) =>
        batch.events.length < 2 ? undefined : { ...batch, events: batch.events.toReversed() },
      ),
    ));

  test('an event that does not match', () => {
    const narrow = { ...watches[0]!, range: prefixRange('/b/') };
    expect(checkWatch(narrow, truth).join()).toContain('filter:');
  });

  test('a bookmark ahead of an event', () =>
    expectCaught('bookmarkable', (steps, at) => {
      const { batch } = steps[at] as Extract<RecordedWatchStep, { type: 'batch' }>;
      steps.splice(at, 0, { type: 'progress', revision: batch.revision });
      return true;
    }));

  test('a bookmark that goes back', () =>
    expectCaught('bookmarkable', (steps, at) => {
      steps.splice(at + 2, 0, { type: 'progress', revision: 1 });
      return true;
    }));

  test('a wrong previous record', () =>
    expectCaught('previous', (steps, at) =>
      editEvent(
        steps,
        at,
        (event) =>
          event.previous && {
            ...event,
            previous: { ...event.previous, modRevision: (event.previous.modRevision - 1) as Revision },
          },
      ),
    ));

  test('a wrong value', () =>
    expectCaught('type', (steps, at) =>
      editEvent(steps, at, (event) =>
        event.type === 'put' ? { ...event, record: { ...event.record, value: Buffer.from('wrong') } } : undefined,
      ),
    ));

  test('a deletion shown as a write', () =>
    expectCaught('type', (steps, at) =>
      editEvent(steps, at, (event) => (event.type === 'delete' ? { type: 'put', record: event.previous } : undefined)),
    ));
});

function editBatch(
  steps: RecordedWatchStep[],
  at: number,
  edit: (batch: WatchBatch) => WatchBatch | undefined,
): boolean {
  const step = steps[at]!;
  const edited = step.type === 'batch' ? edit(step.batch) : undefined;
  if (edited === undefined) return false;
  steps[at] = { type: 'batch', batch: edited };
  return true;
}

/** Edits the first event of a batch that `edit` has something to do with. */
function editEvent(
  steps: RecordedWatchStep[],
  at: number,
  edit: (event: StoreEvent) => StoreEvent | undefined,
): boolean {
  return editBatch(steps, at, (batch) => {
    const place = batch.events.findIndex((event) => edit(event) !== undefined);
    if (place < 0) return undefined;
    return { ...batch, events: batch.events.with(place, edit(batch.events[place]!)!) };
  });
}
