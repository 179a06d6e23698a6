import { SteppedClock } from '@pintle/async';
import { openMemoryStore } from '@pintle/store';
import { expect, test, vi } from 'vitest';
import { HistoryKeeper } from './history-keeper.ts';

const MINUTE_MS = 60_000;

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
