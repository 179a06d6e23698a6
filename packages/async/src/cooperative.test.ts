import { expect, test } from 'vitest';
import { oncePerTurn, TurnQueue, Turns, waitForOwnTurn, yieldToEventLoop } from './cooperative.ts';
import { SteppedClock } from './stepped-clock.ts';

test('waitForOwnTurn gives every turn to one of those who wait, first come, first served', async () => {
  const turns: string[][] = [];
  let now: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await waitForOwnTurn();
      now.push(name);
    }
  };
  let isDone = false;
  const all = Promise.all([work('a'), work('b'), work('c')]).then(() => {
    isDone = true;
  });
  while (!isDone) {
    await yieldToEventLoop();
    if (now.length > 0) turns.push(now);
    now = [];
  }
  await all;
  expect(turns).toEqual([['a'], ['b'], ['c'], ['a'], ['b'], ['c'], ['a'], ['b'], ['c']]);
});

test('waitForOwnTurn lets what waits for the next turn go first', async () => {
  const order: string[] = [];
  const others = yieldToEventLoop().then(() => order.push('others'));
  await waitForOwnTurn();
  order.push('own');
  await others;
  expect(order).toEqual(['others', 'own']);
});

test('a computation gives way once a turn was long, and then has a turn of its own', async () => {
  const clock = new SteppedClock();
  let waits = 0;
  const turn = async (): Promise<void> => void waits++;
  const turns = new Turns(clock, { longMs: 10, turn });
  await clock.advance(9);
  expect(turns.next()).toBeUndefined();
  await clock.advance(1);
  await turns.next();
  expect(waits).toBe(1);
  expect(turns.next()).toBeUndefined();
});

test('loops that share their turns give way and go on together', async () => {
  const clock = new SteppedClock();
  let waits = 0;
  const turns = new Turns(clock, {
    longMs: 10,
    turn: async () => {
      waits++;
      await yieldToEventLoop();
    },
  });
  await clock.advance(10);
  const [first, second] = [turns.next(), turns.next()];
  expect(first).toBe(second);
  await first;
  expect(waits).toBe(1);
  expect(turns.next()).toBeUndefined();
});

test('a turn that is refused ends the loop that asked for it, and no other', async () => {
  const clock = new SteppedClock();
  const turns = new Turns(clock, { longMs: 10, turn: () => Promise.reject(new Error('the client is gone')) });
  await clock.advance(10);
  await expect(turns.next()).rejects.toThrow('the client is gone');
  expect(turns.next()).toBeUndefined();
});

test('a TurnQueue lets so many go on in a turn, first come, first served', async () => {
  const queue = new TurnQueue(2);
  const order: string[] = [];
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => queue.wait().then(() => order.push(name)));
  await yieldToEventLoop();
  expect(order).toEqual(['a', 'b']);
  await yieldToEventLoop();
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all(all);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('owners of a TurnQueue take turns, however much one of them has to do', async () => {
  const queue = new TurnQueue(1);
  const order: string[] = [];
  const wait = (owner: string | undefined, name: string) => queue.wait(owner).then(() => order.push(name));
  const many = Array.from({ length: 5 }, (_, i) => wait('mallory', `m${i}`));
  const few = [wait('alice', 'a0'), wait('alice', 'a1'), wait(undefined, 'other')];
  await Promise.all([...many, ...few]);
  expect(order).toEqual(['m0', 'a0', 'other', 'm1', 'a1', 'm2', 'm3', 'm4']);
});

test('oncePerTurn calls back once for everything that was asked for in a turn', async () => {
  let calls = 0;
  const ask = oncePerTurn(() => void calls++);
  ask();
  ask();
  expect(calls).toBe(0);
  await yieldToEventLoop();
  expect(calls).toBe(1);
  ask();
  await yieldToEventLoop();
  expect(calls).toBe(2);
});
