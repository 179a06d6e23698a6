import { expect, test } from 'vitest';
import type { OperatorReport, ReconcileTrace } from '../protocol.ts';
import { KeptTraces } from './kept-traces.ts';

const MIB = 1024 * 1024;

function trace(id: number, bytes = 10): ReconcileTrace {
  const name = 'n'.repeat(bytes);
  return { id, controller: 'site', name, reasons: [], startedMs: 0, failures: 0, steps: [], omittedSteps: 0 };
}

function report(operator: string, traces: readonly ReconcileTrace[], user?: string): OperatorReport {
  const about = { name: 'shop', pid: 1, isControlPlane: false, isLeader: true, controllers: [], caches: [] };
  return { ...about, operator, ...(user && { reporter: { user } }), traces, omittedTraces: 0 };
}

function idsOf(kept: KeptTraces): Record<string, number[]> {
  const events = [...kept.events()].flatMap((event) => (event.type === 'traces' ? [event] : []));
  return Object.fromEntries(events.map(({ operator, traces }) => [operator, traces.map(({ id }) => id)]));
}

test('a reconcile that goes on replaces what was known of it', () => {
  const kept = new KeptTraces();
  kept.add(report('a', [trace(1), trace(2)]));
  kept.add(report('a', [{ ...trace(1), outcome: 'success' }]));
  expect(idsOf(kept)).toEqual({ a: [2, 1] });
});

test('the oldest go first, of each operator by itself', () => {
  const kept = new KeptTraces();
  kept.add(report('quiet', [trace(1)]));
  kept.add(report('elsewhere', [trace(1)], 'thief'));
  for (let id = 0; id < 1_500; id++) kept.add(report('busy', [trace(id)]));
  for (let id = 0; id < 150; id++) kept.add(report('loud', [trace(id)], 'thief'));
  const ids = idsOf(kept);
  expect([ids.quiet, ids.elsewhere]).toEqual([[1], [1]]);
  expect([ids.busy!.length, ids.busy![0]]).toEqual([1_000, 500]);
  expect([ids.loud!.length, ids.loud![0]]).toEqual([100, 50]);
});

test('16 MiB of reported reconciles are kept, and who sent the most loses first', () => {
  const kept = new KeptTraces();
  kept.add(report('small', [trace(1, MIB)], 'shop'));
  for (let id = 0; id < 40; id++) kept.add(report('large', [trace(id, MIB)], 'thief'));
  expect(idsOf(kept).small).toEqual([1]);
  expect(idsOf(kept).large).toHaveLength(14);
  kept.drop('large');
  for (let id = 0; id < 40; id++) kept.add(report('next', [trace(id, MIB)], 'thief'));
  expect(idsOf(kept).next).toHaveLength(14);
  kept.clear();
  expect(idsOf(kept)).toEqual({});
});
