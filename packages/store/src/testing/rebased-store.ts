import { after } from '@pintle/async';
import { StoreError, type StoreFailure } from '../errors.ts';
import type { Revision } from '../revision.ts';
import type { ReadOptions, Store, StoreEvent, StoreRecord, StoreWatch, WatchBatch } from '../store.ts';

/**
 * Returns a store whose current revision is 0, for cases that count from there. The engine must have no other writers,
 * or revisions would be missing.
 */
export function rebased(store: Store): Store {
  const base = store.revision;
  const down = (revision: Revision) => (revision - base) as Revision;
  const up = (revision: Revision) => (revision + base) as Revision;
  const record = (found: StoreRecord): StoreRecord => ({
    ...found,
    modRevision: down(found.modRevision),
    createRevision: down(found.createRevision),
  });
  const event = (told: StoreEvent): StoreEvent => {
    if (told.type === 'delete') return { ...told, revision: down(told.revision), previous: record(told.previous) };
    return { ...told, record: record(told.record), ...(told.previous && { previous: record(told.previous) }) };
  };
  const batch = (told: WatchBatch): WatchBatch => ({ revision: down(told.revision), events: told.events.map(event) });
  const at = <T extends ReadOptions>(options: T | undefined): T | undefined =>
    options?.revision === undefined ? options : { ...options, revision: up(options.revision) };
  const failing = (error: unknown): never => {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(failureFrom(error.failure, down), { cause: error });
  };
  const attempt = <T>(run: () => T): T => {
    try {
      const outcome = run();
      return outcome instanceof Promise ? (outcome.catch(failing) as T) : outcome;
    } catch (error) {
      return failing(error);
    }
  };
  const watched = (watch: StoreWatch): StoreWatch => ({
    get progress() {
      return down(watch.progress);
    },
    next: async () => {
      const step = await watch.next().catch(failing);
      return step.done ? step : { done: false, value: batch(step.value) };
    },
    return: async () => await watch.return!(),
    [Symbol.asyncIterator]() {
      return this;
    },
  });
  return {
    get revision() {
      return down(store.revision);
    },
    get compactedRevision() {
      return down(store.compactedRevision);
    },
    get history() {
      return store.history;
    },
    expirations: () => store.expirations(),
    get damagedKeys() {
      return store.damagedKeys;
    },
    limits: store.limits,
    isShared: store.isShared,
    latest: (options) => attempt(() => after(store.latest(options), down)),
    get: (key, options) => attempt(() => after(store.get(key, at(options)), (found) => found && record(found))),
    range: async (range, options) => {
      const result = await store.range(range, at(options)).catch(failing);
      return { ...result, records: result.records.map(record), revision: down(result.revision) };
    },
    count: (range, options) => attempt(() => store.count(range, at(options))),
    commit: async (operations) => {
      const asked = operations.map((operation) =>
        operation.expected === undefined || operation.expected === 0
          ? operation
          : { ...operation, expected: up(operation.expected) },
      );
      return { revision: down((await store.commit(asked).catch(failing)).revision) };
    },
    watch: (range, { after: from, ...options } = {}) =>
      watched(store.watch(range, { ...options, ...(from !== undefined && { after: up(from) }) })),
    compact: (revision) => attempt(() => store.compact(up(revision))),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

function failureFrom(failure: StoreFailure, down: (revision: Revision) => Revision): StoreFailure {
  switch (failure.code) {
    case 'Conflict': {
      const { actual, expected } = failure;
      return {
        ...failure,
        expected: expected === 0 ? expected : down(expected),
        ...(actual && { actual: { ...actual, modRevision: down(actual.modRevision) } }),
      };
    }
    case 'Compacted':
      return { ...failure, requested: down(failure.requested), oldest: down(failure.oldest) };
    case 'Future':
      return { ...failure, requested: down(failure.requested), current: down(failure.current) };
    default:
      return failure;
  }
}
