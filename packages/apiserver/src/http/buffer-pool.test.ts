import { expect, test } from 'vitest';
import { BufferPool } from './buffer-pool.ts';

const LONG = 600_000;

test('a buffer that was given back is used again', () => {
  const pool = new BufferPool();
  const first = pool.take(LONG);
  expect(first).toHaveLength(LONG);
  expect(pool.take(LONG).buffer).not.toBe(first.buffer);
  pool.giveBack(first);
  const second = pool.take(LONG + 1);
  expect(second).toHaveLength(LONG + 1);
  expect(second.buffer).toBe(first.buffer);
});

test('what is given back twice is taken by one only', () => {
  const pool = new BufferPool();
  const buffer = pool.take(LONG);
  pool.giveBack(buffer);
  pool.giveBack(buffer);
  expect(pool.take(LONG).buffer).not.toBe(pool.take(LONG).buffer);
});

test('what was not taken here is not kept', () => {
  const pool = new BufferPool();
  const stranger = Buffer.alloc(LONG);
  pool.giveBack(stranger);
  expect(pool.take(LONG).buffer).not.toBe(stranger.buffer);
});

test('a buffer that is much longer than needed is left to others', () => {
  const pool = new BufferPool();
  const large = pool.take(4 * LONG);
  pool.giveBack(large);
  expect(pool.take(LONG).buffer).not.toBe(large.buffer);
});

test('a few megabytes are kept, the oldest go first', () => {
  const pool = new BufferPool();
  const taken = Array.from({ length: 20 }, () => pool.take(1_000_000));
  for (const buffer of taken) pool.giveBack(buffer);
  const again = Array.from({ length: 20 }, () => pool.take(1_000_000).buffer);
  const kept = taken.map(({ buffer }) => again.includes(buffer));
  expect(kept).toEqual(taken.map((_buffer, index) => index >= 12));
});
