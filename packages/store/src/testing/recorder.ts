import type { Random } from '@pintle/async';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import type { Revision } from '../revision.ts';
import type { Store, StoreWatch } from '../store.ts';
import type { RecordedAction, RecordedCall, RecordedWatch, RecordedWatchStep } from './history.ts';

/** A client that works on a store at random, on few keys so that clients conflict, and records everything. */
export class RecordingClient {
  readonly calls: RecordedCall[] = [];
  readonly #store: Store;
  readonly #random: Random;
  readonly #name: string;
  readonly #keys: number;
  #writes = 0;

  constructor(store: Store, options: { readonly random: Random; readonly name: string; readonly keys: number }) {
    this.#store = store;
    this.#random = options.random;
    this.#name = options.name;
    this.#keys = options.keys;
  }

  async work(calls: number): Promise<void> {
    for (let count = 0; count < calls; count++) await this.#oneCall();
  }

  async #oneCall(): Promise<void> {
    const choice = this.#random.below(10);
    if (choice < 3) await this.#record(() => this.#get(this.#someKey()));
    else if (choice < 4) await this.#record(() => this.#list());
    else await this.#write(choice < 9 ? 'put' : 'delete');
  }

  /** A read without an answer has no information and is not recorded. */
  async #record(act: () => Promise<RecordedAction>): Promise<RecordedAction | undefined> {
    const calledAt = tick();
    const action = await act().catch((error: unknown) => {
      if (error instanceof StoreError && error.failure.code === 'Unavailable') return undefined;
      throw error;
    });
    if (action !== undefined)
      this.calls.push({ calledAt, returnedAt: hasNoAnswer(action) ? Number.POSITIVE_INFINITY : tick(), action });
    return action;
  }

  async #get(key: string): Promise<RecordedAction> {
    await this.#store.latest();
    const record = await this.#store.get(key);
    const value = record ? Buffer.from(record.value).toString() : '';
    return { type: 'get', key, found: record?.modRevision ?? 0, value };
  }

  async #list(): Promise<RecordedAction> {
    await this.#store.latest();
    const { revision, records } = await this.#store.range({ start: '' });
    return { type: 'list', revision, entries: records.map(({ key, modRevision }) => [key, modRevision] as const) };
  }

  /** Half of the writes are compare-and-swap on a previous read. */
  async #write(type: 'put' | 'delete'): Promise<void> {
    const key = this.#someKey();
    let expected: number | undefined;
    if (this.#random.below(2) === 0) {
      const read = await this.#record(() => this.#get(key));
      if (read === undefined) return;
      expected = read.type === 'get' ? read.found : 0;
    }
    if (type === 'delete' && expected === undefined) expected = 0;
    await this.#record(() => this.#commit(type, key, expected));
  }

  async #commit(type: 'put' | 'delete', key: string, expected: number | undefined): Promise<RecordedAction> {
    const value = type === 'put' ? `${this.#name}-${this.#writes++}` : '';
    const condition = expected === undefined ? {} : { expected: expected as Revision };
    const base = { type, key, value, ...condition };
    try {
      const { revision } = await this.#store.commit([{ ...base, value: Buffer.from(value) }]);
      if (type === 'delete' && expected === 0) return { type: 'get', key, found: 0, value: '' };
      return { ...base, outcome: { type: 'committed', revision } };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.failure.code === 'Unavailable') return { ...base, outcome: { type: 'unknown' } };
      if (error.failure.code !== 'Conflict') throw error;
      return { ...base, outcome: { type: 'conflict', actual: error.failure.actual?.modRevision ?? 0 } };
    }
  }

  #someKey(): string {
    return `/k${this.#random.below(this.#keys)}`;
  }
}

/** Reads a watch until `isDone`, and records its progress after every batch. */
export async function recordWatch(
  watch: StoreWatch,
  range: KeyRange,
  after: number,
  isDone: () => boolean,
): Promise<RecordedWatch> {
  const steps: RecordedWatchStep[] = [];
  while (!isDone()) {
    const { done, value } = await watch.next();
    if (done) break;
    steps.push({ type: 'batch', batch: value }, { type: 'progress', revision: watch.progress });
  }
  await watch.return?.();
  return { range, after, steps };
}

let ticks = 0;

/** A counter orders events of one thread without ever being equal. */
function tick(): number {
  return ++ticks;
}

function hasNoAnswer(action: RecordedAction): boolean {
  return (action.type === 'put' || action.type === 'delete') && action.outcome.type === 'unknown';
}
