import { expect, test } from 'vitest';
import type { OperatorTrace } from '../live/telemetry.ts';
import { findingsIn } from './findings.ts';

const NOW = 1_000_000;

function run(index: number, more: Partial<OperatorTrace> = {}): OperatorTrace {
  return {
    operator: 'shop/1',
    id: index,
    controller: 'site',
    namespace: 'default',
    name: 'web',
    reasons: [{ cause: 'updated', kind: 'Site', namespace: 'default', name: 'web' }],
    startedMs: NOW - 10_000 + index * 100,
    failures: 0,
    steps: [write()],
    omittedSteps: 0,
    durationMs: 2,
    outcome: 'success',
    ...more,
  };
}

function write(more: object = {}): OperatorTrace['steps'][number] {
  const about = { resource: 'sites.example.com/status', kind: 'Site', namespace: 'default', name: 'web' };
  return { type: 'write', atMs: 1, ...about, verb: 'patch', outcome: 'sent', ...more };
}

const sentences = (traces: readonly OperatorTrace[]) => findingsIn(traces, NOW).map(({ sentence }) => sentence);
const runs = (count: number, more: Partial<OperatorTrace> = {}) =>
  Array.from({ length: count }, (_, index) => run(index, more));

test('a status write that wakes its own controller is a loop', () => {
  expect(sentences(runs(8))).toEqual([
    'site loops on default/web: each run writes its own status, and that write wakes the next run (8 runs in 0.7 s).',
  ]);
});

test('suppressed writes, other reasons and few runs are no loop', () => {
  expect(sentences(runs(8, { steps: [write({ outcome: 'suppressed' })] }))).toEqual([]);
  expect(sentences(runs(8, { reasons: [{ cause: 'requeued' }] }))).toEqual([]);
  expect(sentences(runs(3))).toEqual([]);
});

test('two controllers that write one object in turn fight', () => {
  const child = write({ resource: 'configmaps', kind: 'ConfigMap', name: 'x', verb: 'apply' });
  const turns = Array.from({ length: 6 }, (_, index) =>
    run(index, { controller: index % 2 === 0 ? 'a' : 'b', steps: [child], reasons: [{ cause: 'external' }] }),
  );
  expect(sentences(turns)).toEqual([
    'a and b write ConfigMap default/x in turn: 6 turns in 30 s. Each undoes what the other wrote.',
  ]);
});

test('failures in a row and conflicts are said', () => {
  const steps = [write({ outcome: 'conflict', status: 409 })];
  expect(sentences([run(1, { outcome: 'error', failures: 2, error: 'no such host', steps: [] })])).toEqual([
    'site fails on default/web, 3 times in a row: no such host',
  ]);
  expect(sentences(runs(3, { steps }))[0]).toContain('from a stale read');
});
