import { type RecordedAction, type RecordedCall, Replay, type TrueTransaction } from './history.ts';

/**
 * Decides whether a recorded history is strictly serializable, exactly and in O(n log n).
 *
 * In general this is a search, because the order of writes is unknown. Here every write has a revision, so the order is
 * given, and only a matching point in history has to be found for each call: a write's is its revision, a read's lies
 * where its result was current. Points must respect real time: a call that began after another had returned comes no
 * earlier. Calls are processed in the order they began, and a read gets the earliest possible point, which never takes
 * a possibility from a later call.
 *
 * Returns the problems; none when the history is valid.
 */
export function checkLinearizability(
  calls: readonly RecordedCall[],
  truth: readonly TrueTransaction[],
): readonly string[] {
  return new Checker(calls, new Replay(truth)).check();
}

type Write = Extract<RecordedAction, { type: 'put' | 'delete' }>;

class Checker {
  readonly #replay: Replay;
  readonly #calls: readonly RecordedCall[];
  readonly #problems: string[] = [];
  /** Call that wrote each revision. */
  readonly #writers = new Map<number, RecordedCall>();
  /** Point in history of each call that has one. */
  readonly #points = new Map<RecordedCall, number>();
  #laterWrites: LaterWrites;

  constructor(calls: readonly RecordedCall[], replay: Replay) {
    this.#calls = [...calls].sort((a, b) => a.calledAt - b.calledAt);
    this.#replay = replay;
    this.#laterWrites = new LaterWrites([]);
  }

  check(): readonly string[] {
    for (const call of this.#calls) if (isWrite(call.action)) this.#claim(call, call.action);
    this.#findUnknown();
    this.#findPhantoms();
    this.#laterWrites = new LaterWrites([...this.#writers].map(([revision, { calledAt }]) => ({ revision, calledAt })));
    this.#sweep();
    return this.#problems;
  }

  /** Checks that an acknowledged write is in history, as it was sent, at its revision, alone. */
  #claim(call: RecordedCall, { outcome, type, key, value }: Write): void {
    if (outcome.type !== 'committed') return;
    const change = this.#replay.changeAt(outcome.revision, key);
    if (change === undefined) this.#problems.push(`lost write: ${type} of ${key} at ${outcome.revision}`);
    else if (change.type !== type || change.value !== value)
      this.#problems.push(`altered write: ${type} of ${key} at ${outcome.revision}`);
    if (this.#writers.has(outcome.revision)) this.#problems.push(`revision ${outcome.revision} was given twice`);
    this.#writers.set(outcome.revision, call);
  }

  /** A write without an answer may have happened at any time since: then it is in history. */
  #findUnknown(): void {
    const unknown = this.#calls.filter(({ action }) => isWrite(action) && action.outcome.type === 'unknown');
    const byContent = new Map<string, RecordedCall[]>();
    for (const call of unknown) {
      const { type, key, value } = call.action as Write;
      const name = JSON.stringify([type, key, value]);
      byContent.set(name, [...(byContent.get(name) ?? []), call]);
    }
    for (const { revision, changes } of this.#replay.transactions) {
      if (this.#writers.has(revision)) continue;
      const { type, key, value } = changes[0]!;
      const call = byContent.get(JSON.stringify([type, key, value]))?.shift();
      if (call) this.#writers.set(revision, { ...call, returnedAt: Number.POSITIVE_INFINITY });
    }
  }

  #findPhantoms(): void {
    for (const { revision } of this.#replay.transactions)
      if (!this.#writers.has(revision)) this.#problems.push(`phantom: no call wrote revision ${revision}`);
  }

  #sweep(): void {
    const returned = [...this.#calls].sort((a, b) => a.returnedAt - b.returnedAt);
    let floor = 0;
    let next = 0;
    for (const call of this.#calls) {
      for (; next < returned.length && returned[next]!.returnedAt < call.calledAt; next++)
        floor = Math.max(floor, this.#points.get(returned[next]!) ?? 0);
      const point = this.#place(call, floor);
      if (point !== undefined) this.#points.set(call, point);
    }
  }

  #place(call: RecordedCall, floor: number): number | undefined {
    const { action } = call;
    const ceiling = this.#laterWrites.firstAfter(call.returnedAt) - 1;
    switch (action.type) {
      case 'get':
        this.#checkValue(action);
        return this.#placeRead(action.key, action.found, floor, ceiling);
      case 'list':
        return this.#placeList(action, floor, ceiling);
      case 'put':
      case 'delete':
        return this.#placeWrite(action, floor, ceiling);
    }
  }

  #placeWrite(action: Write, floor: number, ceiling: number): number | undefined {
    const { key, expected, outcome } = action;
    if (outcome.type === 'unknown') return undefined;
    if (outcome.type === 'conflict') {
      if (outcome.actual === expected) this.#problems.push(`conflict without a reason: ${key} at ${expected}`);
      return this.#placeRead(key, outcome.actual, floor, ceiling);
    }
    if (outcome.revision <= floor)
      this.#problems.push(`write in the past: ${key} got ${outcome.revision} after ${floor}`);
    const before = this.#replay.modRevisionAt(key, outcome.revision - 1);
    if (expected !== undefined && before !== expected)
      this.#problems.push(`condition ignored: ${key} at ${outcome.revision} expected ${expected}, found ${before}`);
    return outcome.revision;
  }

  #checkValue({ key, found, value }: Extract<RecordedAction, { type: 'get' }>): void {
    if (found !== 0 && this.#replay.changeAt(found, key)?.value !== value)
      this.#problems.push(`wrong value: ${key} at ${found}`);
  }

  /** Returns the earliest point not before `floor` at which `key` was at `found`. */
  #placeRead(key: string, found: number, floor: number, ceiling: number): number | undefined {
    let point = Math.max(found, floor);
    if (found === 0 && this.#replay.modRevisionAt(key, point) !== 0) point = this.#nextAbsence(key, point);
    if (point > ceiling || this.#replay.modRevisionAt(key, point) !== found) {
      this.#problems.push(`impossible read: ${key} at ${found}, between ${floor} and ${ceiling}`);
      return undefined;
    }
    return point;
  }

  #nextAbsence(key: string, from: number): number {
    let point = from;
    while (point !== Number.POSITIVE_INFINITY && this.#replay.modRevisionAt(key, point) !== 0)
      point = this.#replay.nextChange(key, point);
    return point;
  }

  #placeList(action: Extract<RecordedAction, { type: 'list' }>, floor: number, ceiling: number): number {
    const { revision } = action;
    if (revision < floor || revision > ceiling)
      this.#problems.push(`impossible list: at ${revision}, between ${floor} and ${ceiling}`);
    const listed = new Map(action.entries);
    for (const key of this.#replay.keys)
      if (this.#replay.modRevisionAt(key, revision) !== (listed.get(key) ?? 0))
        this.#problems.push(`wrong list: ${key} at ${revision}`);
    return revision;
  }
}

function isWrite(action: RecordedAction): action is Write {
  return action.type === 'put' || action.type === 'delete';
}

/** Smallest revision of the writes that began after a time: no call that ended by then can have seen it. */
class LaterWrites {
  readonly #times: number[] = [];
  readonly #smallestFrom: number[] = [];

  constructor(writes: readonly { readonly revision: number; readonly calledAt: number }[]) {
    let smallest = Number.POSITIVE_INFINITY;
    for (const { revision, calledAt } of [...writes].sort((a, b) => b.calledAt - a.calledAt)) {
      smallest = Math.min(smallest, revision);
      this.#times.push(calledAt);
      this.#smallestFrom.push(smallest);
    }
    this.#times.reverse();
    this.#smallestFrom.reverse();
  }

  firstAfter(time: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return this.#smallestFrom[low] ?? Number.POSITIVE_INFINITY;
  }
}
