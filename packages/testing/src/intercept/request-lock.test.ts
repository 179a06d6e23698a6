import { expect, test } from 'vitest';
import { RequestLock } from './request-lock.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one at a time, in the order they came', async () => {
  const lock = new RequestLock();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const release = await lock.acquire();
    seen.push(`${name} in`);
    await turn();
    seen.push(`${name} out`);
    release();
    release();
  };
  await Promise.all(['a', 'b', 'c'].map(pass));
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
});

test('all callers pass while it is suspended', async () => {
  const lock = new RequestLock();
  const release = await lock.acquire();
  const second = lock.acquire();
  const suspension = lock.suspend();
  (await second)();
  (await lock.acquire())();
  suspension[Symbol.dispose]();
  release();
  const again = await lock.acquire();
  let isHeld = false;
  const waiting = lock.acquire().then(() => {
    isHeld = true;
  });
  await turn();
  expect(isHeld).toBe(false);
  again();
  await waiting;
});
