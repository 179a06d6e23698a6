import { expect, test } from 'vitest';
import { ContainerLog, type LogQuery } from './container-log.ts';

const MEGABYTE = 1024 * 1024;
const never = new AbortController().signal;

function logOf(...chunks: readonly (string | Buffer)[]): ContainerLog {
  const log = new ContainerLog();
  for (const [i, chunk] of chunks.entries()) log.write(Buffer.from(chunk), i * 1_000);
  return log;
}

async function read(log: ContainerLog, query: LogQuery = {}): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of log.read(query, never)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('lines come as they were written; one that has not ended comes when it has', async () => {
  const log = logOf('a\nb', 'c\n', 'd');
  expect(await read(log)).toBe('a\nbc\n');
  log.end(0);
  expect(await read(log)).toBe('a\nbc\nd');
});

test.each<[LogQuery, string]>([
  [{ tailLines: 0 }, ''],
  [{ tailLines: 1 }, 'e\n'],
  [{ tailLines: 3 }, 'c\nd\ne\n'],
  [{ tailLines: 4 }, 'b\nc\nd\ne\n'],
  [{ tailLines: 9 }, 'a\nb\nc\nd\ne\n'],
  [{ sinceMs: 1_000 }, 'c\nd\ne\n'],
  [{ limitBytes: 3 }, 'a\nb'],
  [{ tailLines: 2, timestamps: true }, '1970-01-01T00:00:01.000000Z d\n1970-01-01T00:00:02.000000Z e\n'],
])('%j of a log', async (query, expected) => {
  expect(await read(logOf('a\nb\n', 'c\nd\n', 'e\n'), query)).toBe(expected);
});

test('whoever follows gets what comes, once, until the log is over', async () => {
  const log = logOf('a\n');
  const lines = log.read({ follow: true, tailLines: 1 }, never);
  const next = async () => Buffer.from((await lines.next()).value ?? '').toString();
  expect(await next()).toBe('a\n');
  const waiting = next();
  log.write(Buffer.from('b\n'), 0);
  expect(await waiting).toBe('b\n');
  // Written at the same time, behind what was read already.
  log.write(Buffer.from('c\nd'), 0);
  expect(await next()).toBe('c\n');
  log.end(0);
  expect(await next()).toBe('d');
  expect((await lines.next()).done).toBe(true);
});

test('whoever reads slowly goes on where something is kept', async () => {
  const log = logOf('first\n');
  const lines = log.read({ follow: true }, never);
  await lines.next();
  const line = Buffer.from(`${'x'.repeat(1_023)}\n`);
  for (let i = 0; i < 10_000; i++) log.write(line, i);
  log.end(0);
  let bytes = 0;
  for await (const chunk of lines) bytes += chunk.length;
  expect(bytes).toBeGreaterThan(3 * MEGABYTE);
  expect(bytes).toBeLessThan(5 * MEGABYTE);
});

test('what is longer than 64 KB without an end counts as several lines', async () => {
  const log = logOf('x'.repeat(200_000));
  expect(await read(log, { tailLines: 2 })).toBe('x'.repeat((200_000 % 65_536) + 65_536));
});

/** Takes minutes and a gigabyte where each line is an object that is shifted out of an array. */
test.each<[string, (log: ContainerLog) => void]>([
  [
    'newlines in long writes',
    (log) => {
      for (let i = 0; i < 8 * 16; i++) log.write(Buffer.alloc(64 * 1024, '\n'), i);
    },
  ],
  [
    'newlines in one write',
    (log) => {
      log.write(Buffer.alloc(8 * MEGABYTE, '\n'), 0);
    },
  ],
  [
    'newlines one by one, at different times',
    (log) => {
      const line = Buffer.from('\n');
      for (let i = 0; i < 300_000; i++) log.write(line, i);
    },
  ],
  [
    'bytes one by one, without an end',
    (log) => {
      const byte = Buffer.from('x');
      for (let i = 0; i < 300_000; i++) log.write(byte, 0);
    },
  ],
])('megabytes of %s take no more memory than any others', async (_what, flood) => {
  const log = new ContainerLog();
  const before = process.memoryUsage();
  flood(log);
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(grown).toBeLessThan(200 * MEGABYTE);
  const text = await read(log);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(4 * MEGABYTE);
  expect((await read(log, { tailLines: 10 })).length).toBeLessThanOrEqual(10 * 65_536);
});
