import { expect, test } from 'vitest';
import { Rooms } from './rooms.ts';

const LONG = 600_000;

test('room that was given back is used again', () => {
  const rooms = new Rooms();
  const first = rooms.take(LONG);
  expect(first).toHaveLength(LONG);
  expect(rooms.take(LONG).buffer).not.toBe(first.buffer);
  rooms.giveBack(first);
  const second = rooms.take(LONG + 1);
  expect(second).toHaveLength(LONG + 1);
  expect(second.buffer).toBe(first.buffer);
});

test('what is given back twice is taken by one only', () => {
  const rooms = new Rooms();
  const room = rooms.take(LONG);
  rooms.giveBack(room);
  rooms.giveBack(room);
  expect(rooms.take(LONG).buffer).not.toBe(rooms.take(LONG).buffer);
});

test('what was not taken here is not kept', () => {
  const rooms = new Rooms();
  const stranger = Buffer.alloc(LONG);
  rooms.giveBack(stranger);
  expect(rooms.take(LONG).buffer).not.toBe(stranger.buffer);
});

test('much more room than is needed is left to others', () => {
  const rooms = new Rooms();
  const large = rooms.take(4 * LONG);
  rooms.giveBack(large);
  expect(rooms.take(LONG).buffer).not.toBe(large.buffer);
});

test('a few megabytes are kept, the oldest go first', () => {
  const rooms = new Rooms();
  const taken = Array.from({ length: 20 }, () => rooms.take(1_000_000));
  for (const room of taken) rooms.giveBack(room);
  const again = Array.from({ length: 20 }, () => rooms.take(1_000_000).buffer);
  const kept = taken.map(({ buffer }) => again.includes(buffer));
  expect(kept).toEqual(taken.map((_room, index) => index >= 12));
});
