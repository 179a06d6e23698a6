import { deferred, SteppedClock } from '@pintle/async';
import type { Store } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { CONFLICT, writeInOrder } from './write-queue.ts';

const clock = new SteppedClock();
const context = { store: {} as Store, clock };

describe('writeInOrder', () => {
  test('gives the first result that is not too late', async () => {
    const results = [CONFLICT, CONFLICT, 'done'] as const;
    let attempts = 0;
    expect(await writeInOrder(context, 'a', async () => results[attempts++]!)).toBe('done');
    expect(attempts).toBe(3);
  });

  test('lets whoever was too late go one after the other', async () => {
    let revision = 0;
    let attempts = 0;
    const change = async (): Promise<number | typeof CONFLICT> => {
      attempts++;
      const seen = revision;
      await Promise.resolve();
      await Promise.resolve();
      if (revision !== seen) return CONFLICT;
      return ++revision;
    };
    const results = await Promise.all(Array.from({ length: 50 }, () => writeInOrder(context, 'a', change)));
    expect(results.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(attempts).toBeLessThan(3 * 50);
  });

  test('goes on after an attempt that failed', async () => {
    const gate = deferred<typeof CONFLICT>();
    const tries = [gate.promise, Promise.reject(new Error('refused'))];
    const failed = writeInOrder<string>(context, 'a', () => tries.shift()!);
    gate.resolve(CONFLICT);
    await expect(failed).rejects.toThrow('refused');
    expect(await writeInOrder(context, 'a', async () => 'fine')).toBe('fine');
  });

  test('goes ahead when somebody before takes long', async () => {
    const held = deferred<string>();
    const slowly: Promise<string | typeof CONFLICT>[] = [Promise.resolve(CONFLICT), held.promise];
    const slow = writeInOrder(context, 'a', () => slowly.shift()!);
    await Promise.resolve();
    const results: (string | typeof CONFLICT)[] = [CONFLICT, 'next'];
    const next = writeInOrder(context, 'a', async () => results.shift()!);
    for (let i = 0; i < 10; i++) await Promise.resolve();
    await clock.advance(2_000);
    expect(await next).toBe('next');
    held.resolve('slow');
    expect(await slow).toBe('slow');
  });

  test('does not go ahead of a long queue that moves, so that nobody works in vain', async () => {
    let revision = 0;
    let attempts = 0;
    const change = async (): Promise<number | typeof CONFLICT> => {
      attempts++;
      const seen = revision;
      await clock.sleep(900);
      if (revision !== seen) return CONFLICT;
      return ++revision;
    };
    const all = Promise.all(Array.from({ length: 12 }, () => writeInOrder(context, 'a', change)));
    for (let second = 0; second < 30; second++) await clock.advance(1_000);
    expect((await all).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(attempts).toBe(12 + 11);
  });

  test('does not work for those who no longer wait', async () => {
    let attempts = 0;
    const checkWanted = (): void => {
      throw new Error('gone');
    };
    const changed = writeInOrder({ ...context, checkWanted }, 'a', async () => {
      attempts++;
      return CONFLICT;
    });
    await expect(changed).rejects.toThrow('gone');
    expect(attempts).toBe(1);
  });

  test('leaves other keys alone', async () => {
    const held = deferred<string>();
    const tries: Promise<string | typeof CONFLICT>[] = [Promise.resolve(CONFLICT), held.promise];
    const slow = writeInOrder(context, 'a', () => tries.shift()!);
    expect(await writeInOrder(context, 'b', async () => 'quick')).toBe('quick');
    held.resolve('slow');
    expect(await slow).toBe('slow');
  });
});
