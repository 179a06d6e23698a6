import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;

/** Reads one file out of a zip archive: no encryption, no zip64. Throws when it is not there. */
export async function unzipFile(archive: string, name: string): Promise<Buffer> {
  await using file = await open(archive);
  const { size } = await file.stat();
  const tail = await read(file, Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES), size);
  const end = findEnd(tail);
  const directory = await read(
    file,
    tail.readUInt32LE(end + 16),
    tail.readUInt32LE(end + 16) + tail.readUInt32LE(end + 12),
  );
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === ENTRY_SIGNATURE; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const found = directory.toString('utf8', at + 46, at + 46 + nameLength);
    if (found === name) return await readEntry(file, directory.subarray(at));
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error(`Cannot unzip ${name}: ${archive} does not have it`);
}

async function readEntry(file: FileHandle, entry: Buffer): Promise<Buffer> {
  const method = entry.readUInt16LE(10);
  const compressed = entry.readUInt32LE(20);
  const offset = entry.readUInt32LE(42);
  const head = await read(file, offset, offset + 30);
  const start = offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const bytes = await read(file, start, start + compressed);
  if (method === 0) return bytes;
  if (method === 8) return inflateRawSync(bytes);
  throw new Error(`Cannot unzip: compression method ${method} is unknown`);
}

function findEnd(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at--) if (tail.readUInt32LE(at) === END_SIGNATURE) return at;
  throw new Error('Cannot unzip: this is not a zip archive');
}

async function read(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) throw new Error('Cannot unzip: the archive is cut short');
    length += bytesRead;
  }
  return bytes;
}
