import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { SeatRequest, Ticket } from './priority-level.ts';
import { PriorityLevel } from './priority-level.ts';

const QUEUED = { type: 'Queue', queuing: { queues: 4, handSize: 2, queueLengthLimit: 2 } };

function open(limitResponse: object | undefined, limit: number) {
  const clock = new SteppedClock();
  const level = new PriorityLevel('l', clock, () => {});
  const spec = limitResponse
    ? { type: 'Limited', limited: { limitResponse: limitResponse as { type: string } } }
    : { type: 'Exempt' };
  level.configure({ apiVersion: '', kind: '', metadata: { name: 'l', uid: 'u' }, spec });
  level.setLimit(limit);
  return { clock, level };
}

function seeker(flow: string, seats = 1, signal = new AbortController().signal): SeatRequest {
  return { seats, flow: () => flow, request: { signal } };
}

test('a level without queues turns away what is too much', () => {
  const { level } = open({ type: 'Reject' }, 2);
  const first = level.take(seeker('a')) as Ticket;
  level.take(seeker('a'));
  expect(level.take(seeker('a'))).toBe('concurrency-limit');
  level.leave(first);
  expect(level.take(seeker('a'))).toMatchObject({ seats: 1 });
});

test('an exempt level has room always', () => {
  const { level } = open(undefined, 0);
  for (let i = 0; i < 100; i++) expect(level.take(seeker('a'))).toMatchObject({ seats: 1 });
});

test('who finds no seat waits for one, in turns', async () => {
  const { level } = open(QUEUED, 1);
  const first = level.take(seeker('a')) as Ticket;
  const second = level.take(seeker('a')) as Promise<Ticket>;
  const third = level.take(seeker('b')) as Promise<Ticket>;
  level.leave(first);
  level.leave(await Promise.race([second, third]));
  await Promise.all([second, third]);
});

test('who waits too long, or is gone, waits no more and holds nothing', async () => {
  const { level, clock } = open(QUEUED, 1);
  const first = level.take(seeker('a')) as Ticket;
  const gone = new AbortController();
  const left = level.take(seeker('a', 1, gone.signal));
  const late = level.take(seeker('a'));
  gone.abort();
  expect(await left).toBe('cancelled');
  await clock.advance(15_000);
  expect(await late).toBe('time-out');
  level.leave(first);
  expect(level.seatsInUse).toBe(0);
  expect(level.take(seeker('a'))).toMatchObject({ seats: 1 });
});

test('a queue that is full is the end', () => {
  const { level } = open(QUEUED, 1);
  level.take(seeker('a'));
  for (let i = 0; i < 4; i++) expect(level.take(seeker('a'))).toBeInstanceOf(Promise);
  expect(level.take(seeker('a'))).toBe('queue-full');
});

test('a request that is larger than the level has it for itself', async () => {
  const { level } = open(QUEUED, 2);
  const small = level.take(seeker('a')) as Ticket;
  const large = level.take(seeker('a', 5)) as Promise<Ticket>;
  const after = level.take(seeker('b')) as Promise<Ticket>;
  level.leave(small);
  level.leave(await Promise.race([large, after]));
  await Promise.all([large, after]);
});

test('more seats are used at once, and other queues keep those who wait', async () => {
  const { level } = open(QUEUED, 1);
  level.take(seeker('a'));
  const waiting = ['a', 'b', 'c'].map((flow) => level.take(seeker(flow)) as Promise<Ticket>);
  const spec = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1 } } } };
  level.configure({ apiVersion: '', kind: '', metadata: { name: 'l' }, spec });
  level.setLimit(4);
  await Promise.all(waiting);
  expect(level.seatsInUse).toBe(4);
});
