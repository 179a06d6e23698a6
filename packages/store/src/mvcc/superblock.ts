import { crcOf } from '../crc.ts';
import type { Engine, LogChange } from '../engine/engine.ts';
import { StoreError } from '../errors.ts';
import { FORMAT } from '../format.ts';
import { FIRST_REVISION, type Revision } from '../revision.ts';
import { corruptLog, type LogChunk } from './record.ts';

/**
 * State of the log, written with every batch: where the log ends and what must be in it.
 *
 * After `compacted` the log is gapless and chained. Up to `compacted` only survivors are left, so those chunks are
 * counted and their checksums summed up: a removal that is not recorded here is detected when the store opens.
 */
export interface Superblock {
  readonly compacted: Revision;
  /** Chain of the log right after `compacted`. */
  readonly compactedChain: number;
  readonly baseChunks: number;
  readonly baseSum: number;
  readonly last: Revision;
  /** Chain of the log right after `last`. */
  readonly lastChain: number;
}

export const EMPTY_SUPERBLOCK: Superblock = {
  compacted: FIRST_REVISION,
  compactedChain: 0,
  baseChunks: 0,
  baseSum: 0,
  last: FIRST_REVISION,
  lastChain: 0,
};

/** Returns the change that stores a superblock, as entry 0 of the log. */
export function superblockChange(superblock: Superblock): LogChange {
  const bytes = Buffer.allocUnsafe(SUPERBLOCK_BYTES);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(FORMAT, 8);
  bytes.writeUIntLE(superblock.compacted, 12, 6);
  bytes.writeUInt32LE(superblock.compactedChain, 18);
  bytes.writeUInt32LE(superblock.baseChunks, 22);
  bytes.writeUInt32LE(superblock.baseSum, 26);
  bytes.writeUIntLE(superblock.last, 30, 6);
  bytes.writeUInt32LE(superblock.lastChain, 36);
  bytes.writeUInt32LE(crcOf(bytes, 8, SUPERBLOCK_BYTES), 4);
  return { revision: FIRST_REVISION, bytes };
}

/** Returns undefined when the log is empty. Throws Corrupt when it has entries but no valid superblock. */
export function readSuperblock(engine: Engine): Superblock | undefined {
  let superblock: Superblock | undefined;
  engine.scanLog(FIRST_REVISION, (revision, bytes) => {
    if (revision !== FIRST_REVISION) throw corruptLog(FIRST_REVISION, 'the log has lost its beginning');
    superblock = decode(bytes);
    return false;
  });
  return superblock;
}

/** Updates the counts of the base after chunks were added and removed. */
export function changeBase(
  superblock: Superblock,
  change: { readonly added?: readonly LogChunk[]; readonly removed?: readonly LogChunk[] },
): Superblock {
  let { baseChunks, baseSum } = superblock;
  for (const chunk of change.added ?? []) {
    baseChunks++;
    baseSum = (baseSum + chunk.headerChecksum) >>> 0;
  }
  for (const chunk of change.removed ?? []) {
    baseChunks--;
    baseSum = (baseSum - chunk.headerChecksum) >>> 0;
  }
  return { ...superblock, baseChunks, baseSum };
}

const MAGIC = 0x53544e50;
/** Magic number, checksum of all that follows it, and format: the same in every format. */
const HEADER_BYTES = 12;
const SUPERBLOCK_BYTES = 40;

function decode(bytes: Buffer): Superblock {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32LE(0) !== MAGIC)
    throw corruptLog(FIRST_REVISION, 'the log has lost its beginning');
  if (crcOf(bytes, 8, bytes.length) !== bytes.readUInt32LE(4))
    throw corruptLog(FIRST_REVISION, 'the checksum of the superblock is wrong');
  const format = bytes.readUInt32LE(8);
  if (format > FORMAT) throw new StoreError({ code: 'NewerFormat', format, supported: FORMAT });
  if (format !== FORMAT || bytes.length !== SUPERBLOCK_BYTES)
    throw corruptLog(FIRST_REVISION, 'the log has lost its beginning');
  return {
    compacted: bytes.readUIntLE(12, 6) as Revision,
    compactedChain: bytes.readUInt32LE(18),
    baseChunks: bytes.readUInt32LE(22),
    baseSum: bytes.readUInt32LE(26),
    last: bytes.readUIntLE(30, 6) as Revision,
    lastChain: bytes.readUInt32LE(36),
  };
}
