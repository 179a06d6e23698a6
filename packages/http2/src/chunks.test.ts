import { expect, test } from 'vitest';
import { Chunks, joined } from './chunks.ts';

/** What one read from a socket brought; a chunk is a part of it. */
const READ_BYTES = 16 * 1024;

function part(text: string): Uint8Array {
  const read = Buffer.allocUnsafeSlow(READ_BYTES);
  return read.subarray(0, read.write(text));
}

function heldBytes(chunks: readonly Uint8Array[]): number {
  const buffers = new Set(chunks.map(({ buffer }) => buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

test('Chunks give what they got, in order, and once', () => {
  const chunks = new Chunks();
  const large = Buffer.alloc(READ_BYTES, 'l');
  for (const chunk of [part('a'), part('bc'), large, part('d')]) chunks.push(chunk);
  expect(chunks.bytes).toBe(READ_BYTES + 4);
  expect(Buffer.from(joined(chunks.take())).toString()).toBe(`abc${large}d`);
  expect([chunks.bytes, chunks.take()]).toEqual([0, []]);
});

test('a lone chunk and large ones are not copied', () => {
  const chunks = new Chunks();
  const [first, large] = [part('a'), Buffer.alloc(READ_BYTES)];
  chunks.push(first);
  chunks.push(large);
  expect(chunks.take()).toEqual([first, large]);
});

test.each([1, 2, 100, 1_000, 5_000, 9_000])(
  'a body that comes %i bytes at a time is held in little more than its size',
  (size) => {
    const chunks = new Chunks();
    const count = Math.ceil(100_000 / size);
    for (let i = 0; i < count; i++) chunks.push(part('x'.repeat(size)));
    const held = chunks.take();
    expect(heldBytes(held)).toBeLessThan(count * size * 2.1 + 2 * READ_BYTES);
    expect(held.length).toBeLessThan((count * size) / 5_000 + 3);
  },
);
