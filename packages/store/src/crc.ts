import { crc32 } from 'node:zlib';

/** Length up to which this table is faster than a call into zlib, which needs a view of the bytes first. */
const SHORT_BYTES = 256;

/** Returns the CRC-32 of the bytes from `start` to `end`, continued from that of the bytes before them. */
export function crcOf(bytes: Buffer, start: number, end: number, before = 0): number {
  if (end - start > SHORT_BYTES) return crc32(bytes.subarray(start, end), before);
  let crc = ~before;
  for (let at = start; at < end; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : (crc >>> 1) ^ POLYNOMIAL;
  return crc;
});
