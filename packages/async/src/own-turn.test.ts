import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';
import { ownTurn } from './own-turn.ts';

test('ownTurn gives every turn to one of those who wait, first come, first served', async () => {
  const turns: string[][] = [];
  let now: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await ownTurn();
      now.push(name);
    }
  };
  let isDone = false;
  const all = Promise.all([work('a'), work('b'), work('c')]).then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    if (now.length > 0) turns.push(now);
    now = [];
  }
  await all;
  expect(turns).toEqual([['a'], ['b'], ['c'], ['a'], ['b'], ['c'], ['a'], ['b'], ['c']]);
});

test('ownTurn lets what waits for the next turn go first', async () => {
  const order: string[] = [];
  const others = nextTurn().then(() => order.push('others'));
  await ownTurn();
  order.push('own');
  await others;
  expect(order).toEqual(['others', 'own']);
});
