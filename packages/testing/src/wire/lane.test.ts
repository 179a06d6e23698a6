import { expect, test } from 'vitest';
import { Lane } from './lane.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one at a time, in the order they came', async () => {
  const lane = new Lane();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const leave = await lane.enter();
    seen.push(`${name} in`);
    await turn();
    seen.push(`${name} out`);
    leave();
    leave();
  };
  await Promise.all(['a', 'b', 'c'].map(pass));
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
});

test('everybody passes while it is open', async () => {
  const lane = new Lane();
  const leave = await lane.enter();
  const second = lane.enter();
  const open = lane.open();
  (await second)();
  (await lane.enter())();
  open[Symbol.dispose]();
  leave();
  const again = await lane.enter();
  let isIn = false;
  const waiting = lane.enter().then(() => {
    isIn = true;
  });
  await turn();
  expect(isIn).toBe(false);
  again();
  await waiting;
});
