import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { RootDatabase } from 'lmdb';
import { open } from '../../engine/lmdb.ts';
import { openLmdbStore } from '../../open-store.ts';
import type { Revision } from '../../revision.ts';
import type { Store } from '../../store.ts';

/** Measures the LMDB store beside bare LMDB in the same run, on the same disk, with the same durability. */
export async function bench(print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pintle-bench-'));
  try {
    for (const inFlight of [1, 64, 256]) await benchWrites(directory, inFlight, print);
    await benchReads(directory, print);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const VALUE_BYTES = 1200;
const RECORDS = 100_000;
const WRITES: Readonly<Record<number, number>> = { 1: 1_500, 64: 40_000, 256: 80_000 };

/**
 * The best of three rounds each, taken in turns, so that a busy moment of the machine hits all. Bare LMDB is measured
 * with the same keys in the same order, and with keys that only ascend, which is what LMDB likes best.
 */
async function benchWrites(parent: string, inFlight: number, print: (line: string) => void): Promise<void> {
  const sameKeys: number[] = [];
  const ascendingKeys: number[] = [];
  const store: Measured[] = [];
  for (let round = 0; round < 3; round++) {
    sameKeys.push(await withDirectory(parent, (directory) => rawWrites(directory, inFlight, keyOf)));
    store.push(await withDirectory(parent, (directory) => storeWrites(directory, inFlight)));
    ascendingKeys.push(await withDirectory(parent, (directory) => rawWrites(directory, inFlight, ascendingKeyOf)));
  }
  const best = store.reduce((a, b) => (a.perSecond > b.perSecond ? a : b));
  const delayP99Ms = Math.min(...store.map((measured) => measured.delayP99Ms));
  const shareOf = (raw: readonly number[]) =>
    `${share(best.perSecond, Math.max(...raw))} (${round(Math.max(...raw))}/s)`;
  print(
    `store: durable CAS writes, ${inFlight} in flight: ${round(best.perSecond)}/s, ${shareOf(sameKeys)} of raw LMDB, ` +
      `${shareOf(ascendingKeys)} with ascending keys; event-loop delay p99 ${delayP99Ms.toFixed(1)} ms`,
  );
}

interface Measured {
  readonly perSecond: number;
  readonly delayP99Ms: number;
}

async function rawWrites(directory: string, inFlight: number, key: (index: number) => string): Promise<number> {
  const database = openRaw(directory);
  const total = WRITES[inFlight]!;
  const perSecond = await rate(total, inFlight, (index) => database.put(key(index % (total / 2)), valueFor(index)));
  await database.close();
  return perSecond;
}

/** Every write is a compare-and-swap: the first of a key creates it, the next one replaces what the first wrote. */
async function storeWrites(directory: string, inFlight: number): Promise<Measured> {
  await using store = await openLmdbStore(directory);
  const total = WRITES[inFlight]!;
  const revisions = new Map<string, Revision>();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const perSecond = await rate(total, inFlight, async (index) => {
    const key = keyOf(index % (total / 2));
    const expected = revisions.get(key) ?? (0 as Revision);
    const { revision } = await store.commit([{ type: 'put', key, value: valueFor(index), expected }]);
    revisions.set(key, revision);
  });
  delay.disable();
  return { perSecond, delayP99Ms: delay.percentile(99) / 1e6 };
}

async function benchReads(parent: string, print: (line: string) => void): Promise<void> {
  const storeDirectory = join(parent, 'store');
  const rawDirectory = join(parent, 'raw');
  await fill(storeDirectory, rawDirectory);

  const openMs: number[] = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    const opened = await openLmdbStore(storeDirectory);
    openMs.push(performance.now() - began);
    await opened.close();
  }
  print(`store: opening ${RECORDS} records of ${VALUE_BYTES} bytes: ${round(Math.min(...openMs))} ms`);

  await using store = await openLmdbStore(storeDirectory);
  const raw = openRaw(rawDirectory);
  await benchGets(store, raw, print);
  await benchRange(store, raw, print);
  await raw.close();
}

async function fill(storeDirectory: string, rawDirectory: string): Promise<void> {
  await using store = await openLmdbStore(storeDirectory);
  const raw = openRaw(rawDirectory);
  await rate(RECORDS, 512, (index) => store.commit([{ type: 'put', key: keyOf(index), value: valueFor(index) }]));
  await rate(RECORDS, 512, (index) => raw.put(keyOf(index), valueFor(index)));
  await raw.close();
}

async function benchGets(store: Store, raw: Raw, print: (line: string) => void): Promise<void> {
  const order = Array.from({ length: 200_000 }, (_, index) => keyOf((index * 7919) % RECORDS));
  let best = 0;
  let bestRaw = 0;
  for (let round = 0; round < 3; round++) {
    bestRaw = Math.max(bestRaw, await rate(order.length, 1, async (index) => void raw.getBinary(order[index]!)));
    best = Math.max(best, await rate(order.length, 1, async (index) => await store.get(order[index]!)));
  }
  print(`store: gets: ${round(best)}/s, ${share(best, bestRaw)} of raw LMDB (${round(bestRaw)}/s)`);
}

async function benchRange(store: Store, raw: Raw, print: (line: string) => void): Promise<void> {
  let best = 0;
  let bestRaw = 0;
  for (let round = 0; round < 3; round++) {
    bestRaw = Math.max(bestRaw, await megabytesPerSecond(async () => [...raw.getRange()].map(({ value }) => value)));
    best = Math.max(
      best,
      await megabytesPerSecond(async () => (await store.range({ start: '' })).records.map(({ value }) => value)),
    );
  }
  print(
    `store: range of ${RECORDS} records: ${round(best)} MB/s, ${share(best, bestRaw)} of raw LMDB (${round(bestRaw)} MB/s)`,
  );
}

type Raw = RootDatabase<Buffer, string>;

function openRaw(directory: string): Raw {
  return open<Buffer, string>({ path: directory, noSubdir: false, overlappingSync: false, encoding: 'binary' });
}

/** Calls `work` for 0 … total-1 with `inFlight` calls at a time. Returns calls per second. */
async function rate(total: number, inFlight: number, work: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const worker = async () => {
    while (next < total) await work(next++);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return total / ((performance.now() - began) / 1000);
}

async function megabytesPerSecond(read: () => Promise<readonly Uint8Array[]>): Promise<number> {
  const began = performance.now();
  const values = await read();
  const seconds = (performance.now() - began) / 1000;
  return values.reduce((bytes, value) => bytes + value.length, 0) / 1e6 / seconds;
}

async function withDirectory<T>(parent: string, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(parent, 'writes-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function keyOf(index: number): string {
  return `/registry/pods/namespace-${index % 100}/pod-${String(index).padStart(8, '0')}`;
}

function ascendingKeyOf(index: number): string {
  return `/registry/pods/namespace-00/pod-${String(index).padStart(8, '0')}`;
}

const template = Buffer.alloc(VALUE_BYTES, 'pintle store bench ');

function valueFor(index: number): Buffer {
  template.writeUInt32LE(index, 0);
  return Buffer.from(template);
}

function share(part: number, whole: number): string {
  return `${Math.round((part / whole) * 100)} %`;
}

function round(value: number): number {
  return Math.round(value);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bench(console.log);
