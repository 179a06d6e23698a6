import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { FileSink } from './file-sink.ts';

const event = (auditID: string): AuditEvent => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/',
  verb: 'get',
  user: {},
  requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
  stageTimestamp: '2026-01-02T03:04:05.000000Z',
});

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-audit-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('events are lines of a file that only its owner reads', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const sink = await FileSink.open(path);
    sink.write(event('a'));
    sink.write(event('b'));
    await sink.close();
    expect(
      (await readFile(path, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).auditID),
    ).toEqual(['a', 'b']);
    expect((await stat(path)).mode & 0o077).toBe(0);
    await using again = await FileSink.open(path);
    again.write(event('c'));
    await again.close();
    expect(await readFile(path, 'utf8')).toContain('"c"');
  }));

test('a file that is full is put aside, and the oldest goes away', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    for (const id of ['one', 'two', 'three', 'four']) {
      const sink = await FileSink.open(path, { maxBytes: 10, maxBackups: 2 });
      sink.write(event(id));
      await sink.close();
    }
    expect((await readdir(folder)).sort()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2']);
    expect(await readFile(path, 'utf8')).toContain('four');
    expect(await readFile(`${path}.2`, 'utf8')).toContain('two');
  }));

test('what the disk cannot take is dropped and counted', () =>
  inFolder(async (folder) => {
    const sink = await FileSink.open(join(folder, 'audit.log'), { maxQueuedBytes: 500 });
    for (let i = 0; i < 10; i++) sink.write(event('x'));
    expect(sink.dropped).toBeGreaterThan(5);
    await sink.close();
  }));
