import { expect, test } from 'vitest';
import { copyOfValue } from './transaction.ts';

test('copies of any size are whole, and none lies over another', () => {
  const sizes = Array.from({ length: 200 }, (_, index) => (index * 977) % 12_000);
  const values = sizes.map((bytes, index) => Buffer.alloc(bytes, index));
  const copies = values.map(copyOfValue);
  expect(copies.every((copy, index) => values[index]!.equals(copy))).toBe(true);
});

test('a copy does not change with what it was made of', () => {
  const value = Buffer.from('abc');
  const copy = copyOfValue(value);
  value.fill(0);
  expect(Buffer.from(copy).toString()).toBe('abc');
});
