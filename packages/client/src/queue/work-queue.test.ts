import { SteppedClock } from '@pintle/async';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExponentialLimiter } from './rate-limiter.ts';
import type { WorkQueueOptions } from './work-queue.ts';
import { WorkQueue } from './work-queue.ts';

function open(options: WorkQueueOptions<string> = {}) {
  const clock = new SteppedClock();
  return { clock, queue: new WorkQueue<string>({ clock, ...options }) };
}

async function takeAll(queue: WorkQueue<string>): Promise<string[]> {
  const taken: string[] = [];
  while (queue.size > 0) {
    const held = await queue.take();
    taken.push(held!.item);
    held!.done();
  }
  return taken;
}

test('an item added several times is worked on once', async () => {
  const { queue } = open();
  for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key);
  expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
});

test('an item added while it is worked on runs again, and never twice at once', async () => {
  const { queue } = open();
  queue.add('web');
  const runs: string[] = [];
  for await (const key of queue) {
    runs.push(key);
    if (runs.length === 1) {
      queue.add(key);
      expect(queue.size).toBe(0);
    } else queue.close();
  }
  expect(runs).toEqual(['web', 'web']);
});

test('takers wait for work and are served in order', async () => {
  const { queue } = open();
  const first = queue.take();
  const second = queue.take();
  queue.add('a');
  queue.add('b');
  expect((await first)?.item).toBe('a');
  expect((await second)?.item).toBe('b');
});

test('what is ready can be taken at once, by its key', () => {
  const { queue } = open({ keyOf: (item) => item.toLowerCase() });
  expect(queue.takeNow()).toBeUndefined();
  queue.add('Web');
  expect(queue.takeNow()).toMatchObject({ item: 'Web', key: 'web' });
  expect(queue.takeNow()).toBeUndefined();
  queue.add('db');
  queue.close();
  expect(queue.takeNow()).toBeUndefined();
});

test('a taker that gives up misses nothing for the others', async () => {
  const { queue } = open();
  const stop = new AbortController();
  const first = queue.take({ signal: stop.signal });
  const second = queue.take();
  stop.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  queue.add('a');
  expect((await second)?.item).toBe('a');
});

describe('delays', () => {
  test('a delayed item comes when its time has come, the earlier of two times', async () => {
    const { queue, clock } = open();
    queue.add('a', { afterMs: 1_000 });
    queue.add('a', { afterMs: 500 });
    queue.add('a', { afterMs: 2_000 });
    await clock.advance(499);
    expect(queue.stats()).toMatchObject({ ready: 0, delayed: 1 });
    await clock.advance(1);
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.advance(10_000);
    expect(queue.stats()).toMatchObject({ ready: 0, delayed: 0 });
  });

  test('an item that is added at once does not come again for its delay', async () => {
    const { queue, clock } = open();
    queue.add('a', { afterMs: 1_000 });
    queue.add('a');
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.advance(2_000);
    expect(queue.size).toBe(0);
  });

  test('an item delayed while it is worked on comes after that', async () => {
    const { queue, clock } = open();
    queue.add('a');
    const held = await queue.take();
    queue.add('a', { afterMs: 100 });
    await clock.advance(200);
    expect(queue.size).toBe(0);
    held!.done();
    expect(await takeAll(queue)).toEqual(['a']);
  });

  test('failures wait longer and longer until they are forgotten', () => {
    const { queue } = open({ limiter: new ExponentialLimiter({ baseMs: 5, maxMs: 30 }) });
    expect([1, 2, 3, 4, 5].map(() => queue.retry('a'))).toEqual([5, 10, 20, 30, 30]);
    expect(queue.failures('a')).toBe(5);
    queue.forget('a');
    expect(queue.retry('a')).toBe(5);
  });
});

describe('priorities', () => {
  test('the highest comes first, equals in the order they came', async () => {
    const { queue } = open();
    queue.add('low', { priority: -100 });
    queue.add('a');
    queue.add('high', { priority: 10 });
    queue.add('b');
    expect(await takeAll(queue)).toEqual(['high', 'a', 'b', 'low']);
  });

  test('of several adds the highest counts', async () => {
    const { queue } = open();
    queue.add('a', { priority: -100 });
    queue.add('b');
    queue.add('a', { priority: 5 });
    queue.add('a', { priority: -100 });
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  test('whoever waits long enough overtakes', async () => {
    const { queue, clock } = open({ ageingMs: 10 });
    queue.add('old', { priority: -100 });
    await clock.advance(1_010);
    queue.add('new');
    expect(await takeAll(queue)).toEqual(['old', 'new']);
  });

  test('a priority ends with the turn it was asked for', async () => {
    const { queue } = open();
    queue.add('a', { priority: 9 });
    expect((await queue.take())?.priority).toBe(9);
  });
});

describe('groups', () => {
  test('take turns', async () => {
    const { queue } = open({ groupOf: (key) => key[0]! });
    for (const key of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('have no more than their share worked on at a time', async () => {
    const { queue } = open({ groupOf: (key) => key[0]!, maxActivePerGroup: 1 });
    for (const key of ['a1', 'a2', 'b1']) queue.add(key);
    const first = await queue.take();
    expect((await queue.take())?.item).toBe('b1');
    const waiting = queue.take();
    first!.done();
    expect((await waiting)?.item).toBe('a2');
  });
});

describe('the end', () => {
  test('close leaves nothing to take', async () => {
    const { queue } = open();
    const waiting = queue.take();
    queue.close();
    expect(await waiting).toBeUndefined();
    queue.add('a');
    expect(await queue.take()).toBeUndefined();
  });

  test('drain works off what is ready and waits for those at work', async () => {
    const { queue } = open();
    queue.add('a');
    queue.add('b');
    const first = await queue.take();
    let isDrained = false;
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    queue.add('c');
    const second = await queue.take();
    expect(second?.item).toBe('b');
    second!.done();
    await Promise.resolve();
    expect(isDrained).toBe(false);
    first!.done();
    await drained;
    expect(await queue.take()).toBeUndefined();
  });
});

test('nothing added is lost and nothing runs twice at once, whatever the order', async () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant('add' as const),
      key: fc.integer({ min: 0, max: 4 }),
      afterMs: fc.integer({ min: 0, max: 50 }),
    }),
    fc.record({ do: fc.constant('take' as const) }),
    fc.record({ do: fc.constant('done' as const) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { queue, clock } = open();
      const owed = new Set<string>();
      const active = new Map<string, () => void>();
      const take = async (): Promise<void> => {
        const held = await queue.take();
        expect(active.has(held!.item)).toBe(false);
        owed.delete(held!.item);
        active.set(held!.item, held!.done);
      };
      for (const step of steps) {
        if (step.do === 'add') {
          owed.add(`k${step.key}`);
          queue.add(`k${step.key}`, { afterMs: step.afterMs });
        } else if (step.do === 'take' && queue.size > 0) await take();
        else if (step.do === 'wait') await clock.advance(step.ms);
        else if (step.do === 'done') {
          const [key, done] = [...active][0] ?? [];
          if (key !== undefined) {
            active.delete(key);
            done!();
          }
        }
      }
      for (const done of active.values()) done();
      active.clear();
      await clock.advance(100);
      while (queue.size > 0) {
        await take();
        for (const done of active.values()) done();
        active.clear();
      }
      expect([...owed]).toEqual([]);
      expect(queue.stats()).toMatchObject({ ready: 0, delayed: 0, active: 0 });
    }),
    { numRuns: 300 },
  );
});
