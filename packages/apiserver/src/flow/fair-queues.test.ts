import { expect, test } from 'vitest';
import { dealHand, FairQueues } from './fair-queues.ts';

const SETTINGS = { queues: 64, handSize: 6, queueLengthLimit: 50 };
const ALWAYS = () => true;

test('a hand has different queues, and is the same at every call', () => {
  for (let i = 0; i < 500; i++) {
    const hand = dealHand(`flow-${i}`, 16, 4);
    expect(new Set(hand).size).toBe(4);
    expect(hand.every((queue) => queue >= 0 && queue < 16)).toBe(true);
    expect(dealHand(`flow-${i}`, 16, 4)).toEqual(hand);
  }
  expect(dealHand('x', 3, 8).sort()).toEqual([0, 1, 2]);
});

test('hands use all queues about equally', () => {
  const uses = new Array<number>(16).fill(0);
  for (let i = 0; i < 4_000; i++) for (const queue of dealHand(`flow-${i}`, 16, 4)) uses[queue]!++;
  expect(Math.min(...uses)).toBeGreaterThan(850);
  expect(Math.max(...uses)).toBeLessThan(1_150);
});

test('a flow that floods its queues delays others by no more than its share', () => {
  const queues = new FairQueues<{ flow: string; seats: number }>(SETTINGS);
  for (let i = 0; i < 200; i++) queues.enqueue({ flow: 'elephant', seats: 1 });
  for (let i = 0; i < 5; i++) queues.enqueue({ flow: 'mouse', seats: 1 });
  const order = Array.from({ length: 50 }, () => queues.next(ALWAYS)!.waiter.flow);
  // The elephant has six queues, the mouse's five requests stand in one each.
  expect(order.slice(0, 12).filter((flow) => flow === 'mouse').length).toBe(5);
});

test('what takes more seats or longer counts for more', () => {
  const queues = new FairQueues<{ flow: string; seats: number }>({ queues: 2, handSize: 1, queueLengthLimit: 500 });
  const [wide, narrow] = ['a', 'b', 'c', 'd', 'e'].reduce<[string, string]>(
    ([first, second], flow) => (dealHand(flow, 2, 1)[0] === 0 ? [flow, second] : [first, flow]),
    ['', ''],
  );
  for (let i = 0; i < 200; i++) {
    queues.enqueue({ flow: wide, seats: 3 });
    queues.enqueue({ flow: narrow, seats: 1 });
  }
  const served = { [wide]: 0, [narrow]: 0 };
  for (let i = 0; i < 100; i++) {
    const { waiter, queue } = queues.next(ALWAYS)!;
    served[waiter.flow]!++;
    queues.ended(queue, waiter.seats, 0.01);
  }
  expect(served[narrow]! / served[wide]!).toBeGreaterThan(2.5);
});

test('a queue that is full takes no more, and who leaves it makes room', () => {
  const queues = new FairQueues<{ flow: string; seats: number }>({ queues: 8, handSize: 2, queueLengthLimit: 2 });
  const waiters = Array.from({ length: 4 }, () => ({ flow: 'x', seats: 1 }));
  for (const waiter of waiters) expect(queues.enqueue(waiter)).toBeDefined();
  expect(queues.enqueue({ flow: 'x', seats: 1 })).toBeUndefined();
  expect(queues.remove(waiters[0]!)).toBe(true);
  expect(queues.remove(waiters[0]!)).toBe(false);
  expect(queues.enqueue({ flow: 'x', seats: 1 })).toBeDefined();
  expect(queues.size).toBe(4);
});
