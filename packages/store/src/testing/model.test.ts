import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SteppedClock } from '@pintle/async';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { MemoryDisk } from '../engine/memory-engine.ts';
import { StoreError } from '../errors.ts';
import type { KeyRange } from '../key-range.ts';
import { openLmdbStore, openMemoryStore } from '../open-store.ts';
import type { Revision } from '../revision.ts';
import type { Operation, Store, StoreEvent, StoreWatch } from '../store.ts';
import { StoreModel } from './model.ts';

const key = fc.constantFrom('/a/1', '/a/2', '/b/1', '/b', '/c\u{1f600}', '/c\uffee');
const range: fc.Arbitrary<KeyRange> = fc.oneof(
  fc.constantFrom({ start: '' }, { start: '/a/', end: '/a0' }, { start: '/b', end: '/b\0' }),
  fc.tuple(key, key).map(([start, end]) => ({ start, end })),
);
const write = fc.record({
  key,
  isDeletion: fc.boolean(),
  condition: fc.constantFrom('none', 'holds', 'fails'),
  ttlMs: fc.constantFrom(undefined, undefined, undefined, 50, 200),
});
/** Fractions stand for revisions: of the history there is when the step is taken. */
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('commit' as const),
      writes: fc.uniqueArray(write, { maxLength: 3, selector: (one) => one.key }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('read' as const),
      range,
      at: fraction,
      limit: fc.integer({ min: 0, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), at: fraction }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('watch' as const), range, at: fraction }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 120 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const parent = mkdtempSync(join(tmpdir(), 'pintle-model-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('the memory store does what the model does', async () => {
  await checkAgainstModel(250, () => {
    const disk = new MemoryDisk();
    return (clock) => openMemoryStore({ clock, disk });
  });
});

test('the LMDB store does what the model does', async () => {
  await checkAgainstModel(15, () => {
    const directory = mkdtempSync(join(parent, 'store-'));
    return (clock) => openLmdbStore(directory, { clock });
  });
});

type Reopen = (clock: SteppedClock) => Promise<Store>;

async function checkAgainstModel(numRuns: number, createDisk: () => Reopen): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const run = await ModelRun.start(createDisk());
      for (const each of steps) await run.take(each);
      await run.finish();
    }),
    { numRuns },
  );
}

interface FollowedWatch {
  readonly range: KeyRange;
  readonly after: number;
  /** The last revision that was read. */
  position: number;
  readonly watch: StoreWatch;
  readonly seen: string[];
}

class ModelRun {
  readonly #reopen: Reopen;
  readonly #clock = new SteppedClock();
  readonly #model = new StoreModel();
  #watches: FollowedWatch[] = [];
  #store!: Store;
  #writes = 0;

  static async start(reopen: Reopen): Promise<ModelRun> {
    const run = new ModelRun(reopen);
    run.#store = await reopen(run.#clock);
    return run;
  }

  private constructor(reopen: Reopen) {
    this.#reopen = reopen;
  }

  async take(each: Step): Promise<void> {
    switch (each.type) {
      case 'commit':
        return this.#commit(each);
      case 'read':
        return this.#read(each);
      case 'compact':
        return this.#compact(each.at);
      case 'watch':
        return this.#watch(each.range, each.at);
      case 'advance':
        return this.#advance(each.ms);
      case 'reopen':
        return this.#restart();
    }
  }

  async finish(): Promise<void> {
    await this.#drainWatches();
    await this.#read({ type: 'read', range: { start: '' }, at: 1, limit: 100 });
    await this.#store.close();
  }

  async #commit({ writes }: Step & { type: 'commit' }): Promise<void> {
    const planned = writes.map(({ key: name, isDeletion, condition, ttlMs }) => {
      const stands = this.#model.get(name)?.modRevision ?? 0;
      const expected = condition === 'none' ? {} : { expected: condition === 'holds' ? stands : stands + 1 };
      return { key: name, value: isDeletion ? undefined : `v${this.#writes++}`, ...expected, ...(ttlMs && { ttlMs }) };
    });
    const operations = planned.map(
      ({ value, ...rest }): Operation =>
        (value === undefined
          ? { type: 'delete', ...rest }
          : { type: 'put', value: Buffer.from(value), ...rest }) as Operation,
    );
    const outcome = await this.#store.commit(operations).catch(conflictOf);
    expect(outcome).toEqual(this.#model.commit(planned));
  }

  async #read({ range: within, at, limit }: Step & { type: 'read' }): Promise<void> {
    const revision = this.#pick(at);
    const reading = this.#store.range(within, { revision, limit });
    if (revision < this.#model.compacted) {
      await expect(reading).rejects.toMatchObject({ failure: { code: 'Compacted', oldest: this.#model.compacted } });
      return;
    }
    const { records, more } = await reading;
    const expected = this.#model.range(within, revision);
    expect(records.map((record) => ({ ...record, value: Buffer.from(record.value).toString() }))).toEqual(
      expected.slice(0, limit).map(({ expiresAt: _, order: __, ...record }) => record),
    );
    expect(more).toBe(expected.length > limit);
    expect(await this.#store.count(within, { revision })).toBe(expected.length);
  }

  /** Watches are read up first: one that compaction overtakes is another test's business. */
  async #compact(at: number): Promise<void> {
    await this.#drainWatches();
    const revision = this.#pick(at);
    await this.#store.compact(revision);
    this.#model.compact(revision);
    expect(this.#store.compactedRevision).toBe(this.#model.compacted);
  }

  #watch(within: KeyRange, at: number): void {
    const after = Math.max(this.#pick(at), this.#model.compacted) as Revision;
    this.#watches.push({
      range: within,
      after,
      position: after,
      watch: this.#store.watch(within, { after }),
      seen: [],
    });
  }

  async #advance(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    this.#model.advance(ms);
    while (this.#store.revision < this.#model.revision) await new Promise((resolve) => setImmediate(resolve));
    expect(this.#store.revision).toBe(this.#model.revision);
  }

  async #restart(): Promise<void> {
    await this.#drainWatches();
    await this.#store.close();
    this.#watches = [];
    this.#store = await this.#reopen(this.#clock);
    expect([this.#store.revision, this.#store.compactedRevision]).toEqual([
      this.#model.revision,
      this.#model.compacted,
    ]);
  }

  async #drainWatches(): Promise<void> {
    const ended = new Set<FollowedWatch>();
    for (const each of this.#watches) {
      const { range: within, after, seen } = each;
      const expected = this.#model.events(within, after);
      while (seen.length < expected.length && !ended.has(each)) if (!(await this.#readOn(each))) ended.add(each);
      if (!ended.has(each)) expect([...seen].sort()).toEqual(expected);
    }
    this.#watches = this.#watches.filter((each) => !ended.has(each));
  }

  /** False when compaction has overtaken the watch: one for which nothing was to be read had no reason to move on. */
  async #readOn(each: FollowedWatch): Promise<boolean> {
    try {
      const { value } = await each.watch.next();
      for (const event of value!.events) each.seen.push(`${value!.revision} ${lineOf(event)}`);
      each.position = value!.revision;
      return true;
    } catch (error) {
      const isOvertaken = error instanceof StoreError && error.failure.code === 'Compacted';
      if (!isOvertaken || each.position >= this.#model.compacted) throw error;
      return false;
    }
  }

  #pick(at: number): Revision {
    return Math.round(at * this.#model.revision) as Revision;
  }
}

function conflictOf(error: unknown): { conflict: string } {
  if (error instanceof StoreError && error.failure.code === 'Conflict') return { conflict: error.failure.key };
  throw error;
}

function lineOf(event: StoreEvent): string {
  const was = event.previous?.modRevision ?? 0;
  return event.type === 'put'
    ? `${event.record.key} ${event.record.modRevision} was ${was}`
    : `${event.key} 0 was ${was}`;
}
