import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { crcOf } from './crc.ts';

const bytes = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 7919) % 256));

test('is what zlib counts, of any length and continued from anything', () => {
  for (const before of [0, 1, 0x7fffffff, 0x80000000, 0xffffffff]) {
    for (let end = 20; end < bytes.length; end++)
      expect(crcOf(bytes, 20, end, before)).toBe(crc32(bytes.subarray(20, end), before));
  }
});
