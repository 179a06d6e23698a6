import { expect, test } from 'vitest';
import { crcOf } from '../crc.ts';
import { MemoryEngine } from '../engine/memory-engine.ts';
import { FORMAT } from '../format.ts';
import { EMPTY_SUPERBLOCK, readSuperblock, superblockChange } from './superblock.ts';

test('a superblock of a newer format is told apart from a damaged one, whatever its length', async () => {
  const { revision, bytes: own } = superblockChange(EMPTY_SUPERBLOCK);
  const bytes = Buffer.concat([Buffer.from(own!), Buffer.alloc(16)]);
  bytes.writeUInt32LE(FORMAT + 1, 8);
  const engine = new MemoryEngine();
  await engine.write({ log: [{ revision, bytes }], values: [] });
  expect(() => readSuperblock(engine)).toThrow('the checksum of the superblock is wrong');
  bytes.writeUInt32LE(crcOf(bytes, 8, bytes.length), 4);
  await engine.write({ log: [{ revision, bytes }], values: [] });
  expect(() => readSuperblock(engine)).toThrow(
    `a newer version of Pintle wrote it, in format ${FORMAT + 1}; this version reads up to format ${FORMAT}`,
  );
});
