import { table } from '@pintle/machinery/table';
import type { Violation } from '../model/finding.ts';
import type { TraceEntry } from '../trial/trace.ts';
import type { Outcome } from '../trial/trial.ts';

const MAX_LINES = 10;

interface Line {
  readonly atMs: number;
  readonly text: string;
  /** Lines with the least weight are left out first. */
  readonly weight: number;
  readonly order: number;
}

/** Returns the events that led to a broken rule: requests of users, faults, writes of the operator. */
export function storyOf(violation: Violation, outcome: Outcome, reference: Outcome): string[] {
  const startMs = outcome.entries[0]?.atMs ?? 0;
  const lines = linesOf(violation, outcome, reference);
  const kept = new Set([...lines].sort((a, b) => b.weight - a.weight || a.order - b.order).slice(0, MAX_LINES - 1));
  const told = lines.filter((line) => kept.has(line)).map(({ atMs, text }) => `${timeOf(atMs - startMs)} ${text}`);
  return [...told, `${' '.repeat(6)} ${endOf(violation)}`];
}

function linesOf(violation: Violation, outcome: Outcome, reference: Outcome): Line[] {
  const usual = countPoints(reference.entries);
  const entries = outcome.entries.filter(({ hasEffect, fault }) => hasEffect || fault !== undefined);
  const said = entries.map((entry, order): Line => {
    const isNew = (usual.get(entry.point) ?? 0) === 0;
    const isAbout = entry.object === violation.subject;
    // Requests that also happen without faults are told last.
    const weight =
      entry.party === 'test' ? 5 : isNew ? (isAbout ? 6 : 4) : entry.fault === undefined ? (isAbout ? 3 : 1) : 7;
    return { atMs: entry.atMs, text: describe(entry), weight: weight + (entry.fault === undefined ? 0 : 3), order };
  });
  const noted = outcome.notes.map(
    ({ atMs, note }, index): Line => ({ atMs, text: `! ${note}`, weight: 9, order: index }),
  );
  return merge(said, noted);
}

function countPoints(entries: readonly TraceEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { point, hasEffect } of entries) if (hasEffect) counts.set(point, (counts.get(point) ?? 0) + 1);
  return counts;
}

/** Sorts by time; at the same time requests come before notes. */
function merge(said: readonly Line[], noted: readonly Line[]): Line[] {
  return [...said, ...noted]
    .map((line, index) => ({ line, index }))
    .sort((a, b) => a.line.atMs - b.line.atMs || a.index - b.index)
    .map(({ line }, order) => ({ ...line, order }));
}

function describe({
  party,
  verb,
  object,
  subresource,
  status,
  fault,
  reconcile,
  isGone,
  isInPast,
  changes,
}: TraceEntry): string {
  const who = party === 'test' ? 'the user' : party === 'controllers' ? 'a built-in controller' : 'the operator';
  const part = subresource === '' ? '' : `the ${subresource} of `;
  const why = reconcile === undefined ? '' : `, reconciling ${reconcile}`;
  const after = isGone && verb !== 'delete' ? ', and the object is gone' : '';
  const view = isInPast ? ', with old caches' : '';
  const answer = fault !== undefined ? ` [${fault}]` : status !== undefined && status >= 300 ? ` [${status}]` : '';
  const what = changes === '' ? '' : `: ${changes}`;
  return `${who} ${WORDS[verb] ?? verb} ${part}${object}${why}${view}${after}${what}${answer}`;
}

const WORDS: Readonly<Record<string, string>> = table({
  create: 'creates',
  update: 'updates',
  patch: 'patches',
  delete: 'deletes',
  deletecollection: 'deletes all',
  get: 'gets',
  list: 'lists',
  watch: 'watches',
});

function endOf({ rule, subject, field, expected, found }: Violation): string {
  const what = field === undefined ? subject : `${field} of ${subject}`;
  if (rule === 'deleted-another-object') return `→ ${what} was not the object that the operator had seen`;
  if (expected === undefined) return `→ ${what}: ${found ?? ''}`;
  return `→ ${what}: ${found ?? ''}; without faults: ${expected}`;
}

function timeOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${String(Math.floor(seconds / 60)).padStart(3, ' ')}:${String(seconds % 60).padStart(2, '0')}`;
}
