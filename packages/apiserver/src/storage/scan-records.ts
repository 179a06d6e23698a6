import { yieldToEventLoop } from '@pintle/async';
import type { KeyRange, RangeOptions, Store, StoreRecord } from '@pintle/store';
import { keyAfter } from '@pintle/store';

/** Bytes of values that are read, and may be decoded, in one turn of the event loop. */
const PAGE_BYTES = 64 * 1024;

/**
 * Reads the records of a range for work on behalf of one request: in small pages, each in a turn of its own, so that a collection
 * of large objects neither blocks other requests nor lies in memory whole. Damaged records are left out. Each page shows the newest
 * state.
 */
export async function* scanRecords(
  store: Store,
  range: KeyRange,
  options: Pick<RangeOptions, 'select' | 'signal'> = {},
): AsyncGenerator<StoreRecord, void> {
  for (let start = range.start, more = true; more; ) {
    const page = await store.range({ ...range, start }, { ...options, maxBytes: PAGE_BYTES, onDamaged: () => {} });
    yield* page.records;
    const last = page.records.at(-1);
    more = page.more && last !== undefined;
    if (!more) return;
    start = keyAfter(last!.key);
    await yieldToEventLoop();
    options.signal?.throwIfAborted();
  }
}
