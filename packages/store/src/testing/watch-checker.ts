import type { StoreEvent, StoreRecord, WatchBatch } from '../store.ts';
import { rangeFilter } from '../watch/range-table.ts';
import { type RecordedWatch, Replay, type TrueChange, type TrueTransaction } from './history.ts';

/**
 * Compares what a watch delivered with what happened. Each problem begins with the broken promise: filter, ordered,
 * unique, atomic, reliable (which includes resumable), bookmarkable, type or previous.
 */
export function checkWatch(watch: RecordedWatch, truth: readonly TrueTransaction[]): readonly string[] {
  const replay = new Replay(truth);
  const matches = rangeFilter(watch.range);
  const expected = truth
    .filter(({ revision }) => revision > watch.after)
    .map(({ revision, changes }) => ({ revision, changes: changes.filter(({ key }) => matches(key)) }))
    .filter(({ changes }) => changes.length > 0);
  return new WatchChecker(watch, replay, expected, matches).check();
}

class WatchChecker {
  readonly #watch: RecordedWatch;
  readonly #replay: Replay;
  readonly #expected: readonly TrueTransaction[];
  readonly #matches: (key: string) => boolean;
  readonly #problems: string[] = [];
  readonly #seen = new Set<string>();
  #last: number;
  #bookmark: number;
  #delivered = 0;

  constructor(
    watch: RecordedWatch,
    replay: Replay,
    expected: readonly TrueTransaction[],
    matches: (key: string) => boolean,
  ) {
    this.#watch = watch;
    this.#replay = replay;
    this.#expected = expected;
    this.#matches = matches;
    this.#last = watch.after;
    this.#bookmark = watch.after;
  }

  check(): readonly string[] {
    for (const step of this.#watch.steps) {
      if (step.type === 'batch') this.#checkBatch(step.batch);
      else this.#checkProgress(step.revision);
    }
    return this.#problems;
  }

  #checkBatch(batch: WatchBatch): void {
    const { revision } = batch;
    if (revision <= this.#last) this.#problems.push(`ordered: ${revision} came after ${this.#last}`);
    if (revision <= this.#bookmark)
      this.#problems.push(`bookmarkable: ${revision} came after progress ${this.#bookmark}`);
    this.#last = Math.max(this.#last, revision);
    for (const event of batch.events) this.#checkEvent(event, revision);
    this.#checkOrder(batch);
  }

  /** Checks that the batch is the next one that was due, with all of its events in order. */
  #checkOrder({ revision, events }: WatchBatch): void {
    const due = this.#expected[this.#delivered++];
    if (due?.revision !== revision) {
      this.#problems.push(`reliable: ${revision} came where ${due?.revision ?? 'nothing'} was due`);
      this.#delivered = Math.max(
        this.#delivered,
        this.#expected.findIndex((other) => other.revision > revision),
      );
      return;
    }
    const got = events.map((event) => `${event.type} ${keyOf(event)}`);
    const wanted = due.changes.map(({ type, key }) => `${type} ${key}`);
    if (got.join('\n') !== wanted.join('\n')) this.#problems.push(`atomic: ${revision} is not one whole transaction`);
  }

  #checkEvent(event: StoreEvent, revision: number): void {
    const key = keyOf(event);
    const name = `${revision} ${key}`;
    if (!this.#matches(key)) this.#problems.push(`filter: ${name}`);
    if (this.#seen.has(name)) this.#problems.push(`unique: ${name} came twice`);
    this.#seen.add(name);
    const change = this.#replay.changeAt(revision, key);
    if (change === undefined || !isSame(event, change)) this.#problems.push(`type: ${name} did not happen like this`);
    this.#checkPrevious(event, revision);
  }

  #checkPrevious(event: StoreEvent, revision: number): void {
    const before = this.#replay.modRevisionAt(keyOf(event), revision - 1);
    const { previous } = event;
    const value = this.#replay.changeAt(before, keyOf(event))?.value;
    if ((previous?.modRevision ?? 0) !== before || (previous && textOf(previous) !== value))
      this.#problems.push(
        `previous: ${revision} ${keyOf(event)} replaced ${before}, not ${previous?.modRevision ?? 0}`,
      );
    if (event.type === 'put' && (event.record.version === 1) !== (before === 0))
      this.#problems.push(`type: ${revision} ${keyOf(event)} is${before === 0 ? ' ' : ' not '}a creation`);
  }

  #checkProgress(revision: number): void {
    const due = this.#expected[this.#delivered];
    if (due !== undefined && due.revision <= revision)
      this.#problems.push(`bookmarkable: progress ${revision}, but ${due.revision} was not delivered`);
    if (revision < this.#bookmark || revision < this.#last)
      this.#problems.push(`bookmarkable: progress went back to ${revision}`);
    this.#bookmark = Math.max(this.#bookmark, revision);
  }
}

function isSame(event: StoreEvent, change: TrueChange): boolean {
  if (event.type !== change.type) return false;
  return event.type === 'delete' || textOf(event.record) === change.value;
}

function keyOf(event: StoreEvent): string {
  return event.type === 'put' ? event.record.key : event.key;
}

function textOf(record: StoreRecord): string {
  return Buffer.from(record.value).toString();
}
