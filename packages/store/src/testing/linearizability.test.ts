import { SeededRandom } from '@pintle/async';
import { beforeAll, describe, expect, test } from 'vitest';
import { openMemoryStore } from '../open-store.ts';
import type { RecordedAction, RecordedCall, TrueTransaction } from './history.ts';
import { readTruth } from './history.ts';
import { checkLinearizability } from './linearizability.ts';
import { RecordingClient } from './recorder.ts';

let calls: RecordedCall[];
let truth: TrueTransaction[];

beforeAll(async () => {
  await using store = await openMemoryStore();
  const clients = Array.from(
    { length: 8 },
    (_, index) => new RecordingClient(store, { random: new SeededRandom(index), name: `c${index}`, keys: 5 }),
  );
  await Promise.all(clients.map((client) => client.work(120)));
  calls = clients.flatMap((client) => client.calls).sort((a, b) => a.calledAt - b.calledAt);
  truth = await readTruth(store);
});

test('a real history of concurrent clients is linearizable, with real contention', () => {
  expect(checkLinearizability(calls, truth)).toEqual([]);
  const conflicts = calls.filter(({ action }) => 'outcome' in action && action.outcome.type === 'conflict');
  expect(conflicts.length).toBeGreaterThan(calls.length * 0.03);
});

test('a write without an answer may have happened or not', () => {
  const index = calls.findIndex(isCommittedPut);
  const call = calls[index]!;
  const forgotten = replaceAt(index, {
    ...call,
    returnedAt: Number.POSITIVE_INFINITY,
    action: { ...call.action, outcome: { type: 'unknown' } } as RecordedAction,
  });
  expect(checkLinearizability(forgotten, truth)).toEqual([]);
  const never: RecordedCall = {
    calledAt: 0,
    returnedAt: Number.POSITIVE_INFINITY,
    action: { type: 'put', key: '/k0', value: 'never', outcome: { type: 'unknown' } },
  };
  expect(checkLinearizability([...calls, never], truth)).toEqual([]);
});

describe('the checker catches', () => {
  /** Applies a mutation at every place it fits, up to 40, and expects each to be caught. */
  function expectCaught(problem: RegExp, mutations: Iterable<[readonly RecordedCall[], readonly TrueTransaction[]]>) {
    let count = 0;
    for (const [mutatedCalls, mutatedTruth] of mutations) {
      expect(checkLinearizability(mutatedCalls, mutatedTruth).join('\n')).toMatch(problem);
      if (++count === 40) break;
    }
    expect(count).toBeGreaterThan(20);
  }

  test('lost writes', () =>
    expectCaught(
      /lost write/,
      truth.map(({ revision }) => [calls, truth.filter((transaction) => transaction.revision !== revision)]),
    ));

  test('altered writes', () =>
    expectCaught(
      /altered write|wrong value/,
      truth.map((transaction, index) => [
        calls,
        truth.with(index, {
          ...transaction,
          changes: transaction.changes.map((change) => ({ ...change, value: `${change.value}?` })),
        }),
      ]),
    ));

  test('phantom writes', () =>
    expectCaught(
      /phantom/,
      calls.flatMap((call, index) => (isCommittedPut(call) ? [[calls.toSpliced(index, 1), truth]] : [])),
    ));

  test('swapped revisions', () =>
    expectCaught(
      /lost write|altered write|write in the past|impossible/,
      committedPairs().map(([a, b]) => [swapRevisions(a, b), truth]),
    ));

  test('one revision given twice', () =>
    expectCaught(
      /given twice/,
      committedPairs().map(([a, b]) => [replaceAt(b, { ...calls[b]!, action: calls[a]!.action }), truth]),
    ));

  test('reads from the future', () =>
    expectCaught(
      /impossible read/,
      mutateReads((read, index) => futureVersion(read.key, calls[index]!.returnedAt)),
    ));

  test('stale reads', () =>
    expectCaught(
      /impossible read/,
      mutateReads((read, index) => staleVersion(read.key, calls[index]!.calledAt)),
    ));

  test('ignored conditions', () =>
    expectCaught(
      /condition ignored/,
      calls.flatMap((call, index) =>
        isCommittedPut(call) && 'expected' in call.action
          ? [[replaceAt(index, { ...call, action: { ...call.action, expected: call.action.expected! + 1 } }), truth]]
          : [],
      ),
    ));

  test('lists that leave something out', () =>
    expectCaught(
      /wrong list/,
      calls.flatMap((call, index) =>
        call.action.type === 'list' && call.action.entries.length > 0
          ? [[replaceAt(index, { ...call, action: { ...call.action, entries: call.action.entries.slice(1) } }), truth]]
          : [],
      ),
    ));
});

test('150,000 calls are checked in a moment', () => {
  const many: RecordedCall[] = [];
  const log: TrueTransaction[] = [];
  for (let revision = 1; revision <= 50_000; revision++) {
    const key = `/k${revision % 1000}`;
    const value = `${revision}`;
    log.push({ revision: revision as TrueTransaction['revision'], changes: [{ type: 'put', key, value }] });
    many.push({
      calledAt: revision * 10,
      returnedAt: revision * 10 + 50,
      action: { type: 'put', key, value, outcome: { type: 'committed', revision } },
    });
    const read = (lag: number): RecordedCall => ({
      calledAt: revision * 10 + 51 + lag,
      returnedAt: revision * 10 + 55 + lag,
      action: { type: 'get', key, found: revision, value },
    });
    many.push(read(0), read(100));
  }
  expect(checkLinearizability(many, log)).toEqual([]);
});

function isCommittedPut({ action }: RecordedCall): boolean {
  return action.type === 'put' && action.outcome.type === 'committed';
}

function replaceAt(index: number, call: RecordedCall): RecordedCall[] {
  return calls.with(index, call);
}

function committedPairs(): [number, number][] {
  const committed = calls.flatMap((call, index) => (isCommittedPut(call) ? [index] : []));
  return committed.slice(0, -1).map((index, place) => [index, committed[place + 1]!]);
}

function swapRevisions(a: number, b: number): RecordedCall[] {
  const actionOf = (index: number) => calls[index]!.action as Extract<RecordedAction, { type: 'put' | 'delete' }>;
  const swapped = (to: number, from: number): RecordedCall => ({
    ...calls[to]!,
    action: { ...actionOf(to), outcome: actionOf(from).outcome },
  });
  return calls.with(a, swapped(a, b)).with(b, swapped(b, a));
}

type Read = Extract<RecordedAction, { type: 'get' }>;

function mutateReads(
  choose: (read: Read, index: number) => { found: number; value: string } | undefined,
): [RecordedCall[], TrueTransaction[]][] {
  return calls.flatMap((call, index): [RecordedCall[], TrueTransaction[]][] => {
    if (call.action.type !== 'get') return [];
    const version = choose(call.action, index);
    return version ? [[replaceAt(index, { ...call, action: { ...call.action, ...version } }), truth]] : [];
  });
}

/** A version of the key whose write began only after `time`. */
function futureVersion(key: string, time: number) {
  return committedPutsOf(key).find(({ call }) => call.calledAt > time);
}

/** A version of the key that was replaced by a write acknowledged before `time`. */
function staleVersion(key: string, time: number) {
  const acknowledged = committedPutsOf(key).filter(({ call }) => call.returnedAt < time);
  return acknowledged.length < 2 ? undefined : acknowledged[acknowledged.length - 2];
}

function committedPutsOf(key: string) {
  return calls
    .flatMap((call) => {
      const { action } = call;
      if (action.type !== 'put' || action.key !== key || action.outcome.type !== 'committed') return [];
      return [{ call, found: action.outcome.revision, value: action.value }];
    })
    .sort((a, b) => a.found - b.found);
}
