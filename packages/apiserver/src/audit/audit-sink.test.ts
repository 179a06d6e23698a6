import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { FileSink } from './audit-sink.ts';

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

test('a file that is full is put aside under its time, and the oldest goes away with a word', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
    const removed: string[] = [];
    for (const id of ['one', 'two', 'three', 'four']) {
      const onRemoved = (file: string) => removed.push(file);
      const sink = await FileSink.open(path, { maxBytes: 10, maxBackups: 2, isBlocking: true, clock, onRemoved });
      sink.write(event(id));
      await sink.close();
    }
    const [first, second, third] = ['000', '001', '002'].map((ms) => `audit-2026-01-02T03-04-05.${ms}.log`);
    expect((await readdir(folder)).sort()).toEqual([second, third, 'audit.log']);
    expect(removed).toEqual([join(folder, first!)]);
    expect(await readFile(path, 'utf8')).toContain('four');
    expect(await readFile(join(folder, third!), 'utf8')).toContain('three');
  }));

test('all files put aside are kept unless a number or an age is said', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
    const writeTo = async (id: string, maxAgeMs = 0): Promise<void> => {
      const sink = await FileSink.open(path, { maxBytes: 10, maxAgeMs, isBlocking: true, clock });
      sink.write(event(id));
      await sink.close();
    };
    for (let i = 0; i < 10; i++) await writeTo(String(i));
    expect(await readdir(folder)).toHaveLength(10);
    await clock.advance(2_000);
    await writeTo('last', 1_000);
    expect((await readdir(folder)).sort()).toEqual(['audit-2026-01-02T03-04-07.000.log', 'audit.log']);
  }));

test('a blocking sink has written when it returns, and says when it could not', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const sink = await FileSink.open(path, { isBlocking: true });
    sink.write(event('a'));
    expect(readFileSync(path, 'utf8')).toContain('"a"');
    expect([sink.isFailing, sink.dropped]).toEqual([false, 0]);
    await sink.close();

    const errors: unknown[] = [];
    const full = await FileSink.open('/dev/full', { isBlocking: true, onError: (error) => errors.push(error) });
    for (const id of ['b', 'c']) full.write(event(id));
    expect([full.isFailing, full.dropped, errors.length]).toEqual([true, 2, 1]);
    await full.close();
  }));

test('a file that somebody else moves or removes is begun anew within a second', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const clock = new SteppedClock();
    await using sink = await FileSink.open(path, { isBlocking: true, clock });
    sink.write(event('a'));
    await rename(path, join(folder, 'moved'));
    await clock.advance(1_000);
    sink.write(event('b'));
    expect(readFileSync(path, 'utf8')).toContain('"b"');
    expect(readFileSync(join(folder, 'moved'), 'utf8')).not.toContain('"b"');
    await rm(path);
    await clock.advance(1_000);
    sink.write(event('c'));
    expect(readFileSync(path, 'utf8')).toContain('"c"');
    expect((await stat(path)).mode & 0o077).toBe(0);
  }));

test('a file that somebody else removes is begun anew when it is full', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    const sink = await FileSink.open(path, { maxBytes: 10, isBlocking: true });
    sink.write(event('a'));
    await rm(path);
    sink.write(event('b'));
    expect(readFileSync(path, 'utf8')).toContain('"b"');
    expect(sink.dropped).toBe(0);
    await sink.close();
  }));

test('a line that a kill cut short does not swallow the next', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'audit.log');
    await writeFile(path, '{"kind":"Event","audi');
    const sink = await FileSink.open(path);
    sink.write(event('next'));
    await sink.close();
    const [, next] = (await readFile(path, 'utf8')).split('\n');
    expect(JSON.parse(next!).auditID).toBe('next');
  }));

test('what the disk cannot take is dropped and counted', () =>
  inFolder(async (folder) => {
    const sink = await FileSink.open(join(folder, 'audit.log'), { maxQueuedBytes: 500 });
    for (let i = 0; i < 10; i++) sink.write(event('x'));
    expect(sink.dropped).toBeGreaterThan(5);
    await sink.close();
  }));
