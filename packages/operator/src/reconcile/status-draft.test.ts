import { expect, test } from 'vitest';
import { StatusDraft } from './status-draft.ts';

const context = { nowMs: Date.UTC(2026, 0, 1), generation: 3, setsObservedGeneration: false };
const time = '2026-01-01T00:00:00Z';
const old = {
  type: 'Ready',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2020-01-01T00:00:00Z',
} as const;

function after(before: object | undefined, ...edits: Parameters<StatusDraft['add']>[0][]): object {
  const draft = new StatusDraft();
  for (const edit of edits) draft.add(edit);
  return draft.after(before, context);
}

test('fields are changed, kept and taken away', () => {
  expect(after({ a: 1, b: 2 }, { a: 3, b: undefined, c: 4 } as object)).toEqual({ a: 3, c: 4 });
  expect(after(undefined, {})).toEqual({});
});

test('what is so already changes nothing, but conditions are looked at always', () => {
  const before = { a: 1, conditions: [old] };
  expect(after(before, { a: 1, b: undefined, conditions: undefined } as object)).toBe(before);
  const again = { a: 1, conditions: before.conditions } as object;
  expect(after(before, again)).toEqual({ a: 1, conditions: [{ ...old, observedGeneration: 3 }] });
});

test('a function gives the whole, of what was said before it', () => {
  expect(after({ a: 1, b: 2 }, { a: 5 } as object, (before: object) => ({ c: (before as { a: number }).a }))).toEqual({
    c: 5,
  });
});

test('a new condition begins now, one that stays the same keeps its time, one that changes begins anew', () => {
  const ready = (status: 'True' | 'False') => ({ conditions: [{ type: 'Ready', status, reason: 'S' }] });
  const said = { type: 'Ready', reason: 'S', message: '', observedGeneration: 3 };
  expect(after({}, ready('True'))).toEqual({ conditions: [{ ...said, status: 'True', lastTransitionTime: time }] });
  expect(after({ conditions: [old] }, ready('True'))).toEqual({
    conditions: [{ ...said, status: 'True', lastTransitionTime: old.lastTransitionTime }],
  });
  expect(after({ conditions: [old] }, ready('False'))).toEqual({
    conditions: [{ ...said, status: 'False', lastTransitionTime: time }],
  });
});

test('conditions of others stay where they are', () => {
  const next = after({ conditions: [old] }, { conditions: [{ type: 'Mine', status: 'True', reason: 'S' }] });
  expect(next).toMatchObject({ conditions: [old, { type: 'Mine' }] });
});

test('the generation is said where the status has a place for it, unless somebody says another', () => {
  const draft = new StatusDraft();
  draft.add({ a: 1 } as object);
  expect(draft.after({}, { ...context, setsObservedGeneration: true })).toEqual({ a: 1, observedGeneration: 3 });
  expect(draft.after({}, { ...context, setsObservedGeneration: true, generation: undefined })).toEqual({ a: 1 });
  draft.add({ observedGeneration: 2 } as object);
  expect(draft.after({}, { ...context, setsObservedGeneration: true })).toEqual({ a: 1, observedGeneration: 2 });
});
