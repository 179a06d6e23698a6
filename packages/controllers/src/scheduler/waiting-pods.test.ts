import { nextTurn, SteppedClock } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import type { SourceSink } from '@pintle/operator';
import { expect, test } from 'vitest';
import { mindsOthers } from './neighbours.ts';
import { WaitingPods } from './waiting-pods.ts';

function pod(name: string, spec: Partial<Pod['spec']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'x', name, uid: name },
    spec: { containers: [], ...spec },
  };
}

/** Waiting pods, and the names of those that were put into the queue. */
function opened(pods: readonly Pod[]): { waiting: WaitingPods; queued: string[]; whenStill(): Promise<void> } {
  const queued: string[] = [];
  const waiting = new WaitingPods();
  const sink: Pick<SourceSink, 'clock' | 'enqueue'> = {
    clock: new SteppedClock(),
    enqueue: ({ name }) => void queued.push(name),
  };
  waiting.open(sink as SourceSink);
  for (const each of pods) waiting.add(each);
  const whenStill = async (): Promise<void> => {
    while (waiting.mapping > 0) await nextTurn();
  };
  return { waiting, queued, whenStill };
}

test('however much happens before the walk, each pod is queued once, and none at once', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
  const { waiting, queued, whenStill } = opened(names.map((name) => pod(name)));
  for (let i = 0; i < 100; i++) waiting.wake('all');
  expect(queued).toEqual([]);
  expect(waiting.mapping).toBe(1);
  await whenStill();
  expect(queued).toEqual(names);
  waiting.wake('all');
  await whenStill();
  expect(queued).toEqual([...names, ...names]);
});

test('the most important come first', async () => {
  const { waiting, queued, whenStill } = opened([pod('low'), pod('high', { priority: 9 }), pod('later')]);
  waiting.wake('all');
  await whenStill();
  expect(queued).toEqual(['high', 'low', 'later']);
});

test('a newcomer wakes those that mind others, unless room is made as well', async () => {
  const { waiting, queued, whenStill } = opened([pod('alone'), pod('minding', { affinity: { podAffinity: {} } })]);
  waiting.wake(mindsOthers);
  await whenStill();
  expect(queued).toEqual(['minding']);
  waiting.wake('all');
  waiting.wake(mindsOthers);
  await whenStill();
  expect(queued).toEqual(['minding', 'alone', 'minding']);
});

test('who waits no more when the walk comes is left alone', async () => {
  const { waiting, queued, whenStill } = opened([pod('a'), pod('b')]);
  waiting.wake('all');
  waiting.delete('a');
  await whenStill();
  expect(queued).toEqual(['b']);
});

test('each of several changes wakes whom it helps; of very many nobody is asked', async () => {
  const names = ['a', 'b', 'c'];
  const { waiting, queued, whenStill } = opened(names.map((name) => pod(name)));
  waiting.wake(({ metadata }) => metadata.name === 'c');
  waiting.wake(({ metadata }) => metadata.name === 'a');
  await whenStill();
  expect(queued).toEqual(['a', 'c']);
  let asked = 0;
  for (let i = 0; i < 1_000; i++) {
    waiting.wake(() => {
      asked++;
      return false;
    });
  }
  await whenStill();
  expect(queued).toEqual(['a', 'c', ...names]);
  expect(asked).toBe(0);
});
