import { SteppedClock, yieldToEventLoop } from '@pintle/async';
import type { Pod } from '@pintle/kinds/core/v1';
import type { SourceSink } from '@pintle/operator';
import { expect, test } from 'vitest';
import { hasTopologyConstraints } from './topology-constraints.ts';
import { UnschedulablePods } from './unschedulable-pods.ts';

function pod(name: string, spec: Partial<Pod['spec']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'x', name, uid: name },
    spec: { containers: [], ...spec },
  };
}

/** Waiting pods, and the names of those that were put into the queue. */
function opened(pods: readonly Pod[]): {
  unschedulable: UnschedulablePods;
  queued: string[];
  whenStill(): Promise<void>;
} {
  const queued: string[] = [];
  const unschedulable = new UnschedulablePods();
  const sink: Pick<SourceSink, 'clock' | 'enqueue'> = {
    clock: new SteppedClock(),
    enqueue: ({ name }) => void queued.push(name),
  };
  unschedulable.open(sink as SourceSink);
  for (const each of pods) unschedulable.add(each);
  const whenStill = async (): Promise<void> => {
    while (unschedulable.mapping > 0) await yieldToEventLoop();
  };
  return { unschedulable, queued, whenStill };
}

test('however much happens before the walk, each pod is queued once, and none at once', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
  const { unschedulable, queued, whenStill } = opened(names.map((name) => pod(name)));
  for (let i = 0; i < 100; i++) unschedulable.wake('all');
  expect(queued).toEqual([]);
  expect(unschedulable.mapping).toBe(1);
  await whenStill();
  expect(queued).toEqual(names);
  unschedulable.wake('all');
  await whenStill();
  expect(queued).toEqual([...names, ...names]);
});

test('the most important come first', async () => {
  const { unschedulable, queued, whenStill } = opened([pod('low'), pod('high', { priority: 9 }), pod('later')]);
  unschedulable.wake('all');
  await whenStill();
  expect(queued).toEqual(['high', 'low', 'later']);
});

test('a newcomer wakes those that mind others, unless room is made as well', async () => {
  const { unschedulable, queued, whenStill } = opened([
    pod('alone'),
    pod('minding', { affinity: { podAffinity: {} } }),
  ]);
  unschedulable.wake(hasTopologyConstraints);
  await whenStill();
  expect(queued).toEqual(['minding']);
  unschedulable.wake('all');
  unschedulable.wake(hasTopologyConstraints);
  await whenStill();
  expect(queued).toEqual(['minding', 'alone', 'minding']);
});

test('who waits no more when the walk comes is left alone', async () => {
  const { unschedulable, queued, whenStill } = opened([pod('a'), pod('b')]);
  unschedulable.wake('all');
  unschedulable.delete('a');
  await whenStill();
  expect(queued).toEqual(['b']);
});

test('each of several changes wakes whom it helps; of very many nobody is asked', async () => {
  const names = ['a', 'b', 'c'];
  const { unschedulable, queued, whenStill } = opened(names.map((name) => pod(name)));
  unschedulable.wake(({ metadata }) => metadata.name === 'c');
  unschedulable.wake(({ metadata }) => metadata.name === 'a');
  await whenStill();
  expect(queued).toEqual(['a', 'c']);
  let asked = 0;
  for (let i = 0; i < 1_000; i++) {
    unschedulable.wake(() => {
      asked++;
      return false;
    });
  }
  await whenStill();
  expect(queued).toEqual(['a', 'c', ...names]);
  expect(asked).toBe(0);
});
