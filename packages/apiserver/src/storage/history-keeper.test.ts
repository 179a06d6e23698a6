import { SteppedClock } from '@pintle/async';
import { openMemoryStore, openStore } from '@pintle/store';
import { FaultyEngine } from '@pintle/store/testing';
import { expect, test, vi } from 'vitest';
import { HistoryKeeper } from './history-keeper.ts';

const MINUTE_MS = 60_000;

test('a compaction that finds no space is tried again', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  const engine = new FaultyEngine();
  await using store = await openStore(engine, { clock });
  const write = async () => (await store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }])).revision;
  await write();
  const second = await write();
  const stopping = new AbortController();
  const running = new HistoryKeeper({ store, clock }).run({ signal: stopping.signal });
  engine.faultOf = () => 'no-space';
  const before = engine.writes;
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(engine.writes).toBeGreaterThan(before));
  expect(store.compactedRevision).toBe(0);
  engine.faultOf = () => undefined;
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(second));
  stopping.abort();
  await running;
});

test('history is kept for five minutes at least and ten at most', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  await using store = await openMemoryStore({ clock });
  const write = async () => (await store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }])).revision;
  const stopping = new AbortController();
  const first = await write();
  const running = new HistoryKeeper({ store, clock }).run({ signal: stopping.signal });

  const second = await write();
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(first));
  await write();
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(second));

  stopping.abort();
  await running;
});

test('another interval is kept, and none leaves compaction to the store', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  await using store = await openMemoryStore({ clock });
  const { revision } = await store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }]);
  const stopping = new AbortController();
  await new HistoryKeeper({ store, clock, intervalMs: 0 }).run({ signal: stopping.signal });
  const running = new HistoryKeeper({ store, clock, intervalMs: 1_000 }).run({ signal: stopping.signal });
  await clock.advance(999);
  expect(store.compactedRevision).toBe(0);
  await clock.advance(1);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(revision));
  stopping.abort();
  await running;
});

test('a longer time is kept, compacted every five minutes', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  await using store = await openMemoryStore({ clock });
  const write = async () => (await store.commit([{ type: 'put', key: 'a', value: new Uint8Array(1) }])).revision;
  const stopping = new AbortController();
  const first = await write();
  const running = new HistoryKeeper({ store, clock, keepMs: 24 * 60 * MINUTE_MS }).run({ signal: stopping.signal });
  const written: number[] = [];
  for (let step = 0; step < 287; step++) {
    written.push(await write());
    await clock.advance(5 * MINUTE_MS);
  }
  expect(store.compactedRevision).toBe(0);
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(first));
  await clock.advance(5 * MINUTE_MS);
  await vi.waitFor(() => expect(store.compactedRevision).toBe(written[0]));
  stopping.abort();
  await running;
});
