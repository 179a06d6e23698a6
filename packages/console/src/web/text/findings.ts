import type { Reason, TraceStep } from '../../protocol.ts';
import type { OperatorTrace } from '../live/telemetry.ts';

/** Something that an operator's author wants to know, in one sentence. */
export interface Finding {
  readonly type: 'loop' | 'fight' | 'failing' | 'stale';
  readonly operator: string;
  readonly controller: string;
  readonly object: string;
  readonly sentence: string;
  /** Time of the last reconcile that shows it. */
  readonly lastMs: number;
}

/** Looks at reconciles of this long a time. */
const WINDOW_MS = 30_000;
const MIN_RUNS = 5;
const MIN_FAILURES = 3;
const MIN_CONFLICTS = 3;
const MIN_TURNS = 3;

/** Finds hot loops, fights over fields, repeated failures and stale reads. */
export function findingsIn(traces: readonly OperatorTrace[], nowMs: number): Finding[] {
  const recent = traces.filter(({ startedMs }) => nowMs - startedMs < WINDOW_MS);
  const byObject = new Map<string, OperatorTrace[]>();
  for (const trace of recent) {
    const key = JSON.stringify([trace.operator, trace.controller, trace.namespace ?? '', trace.name]);
    const group = byObject.get(key);
    if (group === undefined) byObject.set(key, [trace]);
    else group.push(trace);
  }
  const findings = [...byObject.values()].flatMap((runs) => {
    const sorted = runs.sort((a, b) => a.startedMs - b.startedMs || a.id - b.id);
    return [loopIn(sorted), failuresIn(sorted), conflictsIn(sorted)].filter((each) => each !== undefined);
  });
  return [...findings, ...fightsIn(recent)].sort((a, b) => b.lastMs - a.lastMs);
}

/** Finds reconciles that each wake the next one by a write of their own. */
function loopIn(runs: readonly OperatorTrace[]): Finding | undefined {
  const woken: { readonly trace: OperatorTrace; readonly by: TraceStep }[] = [];
  for (const [index, trace] of runs.entries()) {
    const before = runs[index - 1];
    const by = before && sentWrites(before).find((step) => trace.reasons.some((reason) => isWokenBy(reason, step)));
    if (by !== undefined) woken.push({ trace, by });
  }
  const last = woken.at(-1);
  if (last === undefined || woken.length < MIN_RUNS || woken.length < runs.length / 2) return undefined;
  const { trace, by } = last;
  const tookMs = trace.startedMs - runs[0]!.startedMs;
  const isOwn = by.name === trace.name && (by.namespace ?? '') === (trace.namespace ?? '');
  const part = by.resource.endsWith('/status') ? 'status' : 'object';
  const what = isOwn ? `its own ${part}` : `${by.kind ?? by.resource} ${by.name ?? ''}`;
  const sentence = `${controllerOf(trace)} loops on ${nameOf(trace)}: each run writes ${what}, and that write wakes the next run (${woken.length + 1} runs in ${seconds(tookMs)}).`;
  return findingOf('loop', trace, sentence);
}

function failuresIn(runs: readonly OperatorTrace[]): Finding | undefined {
  const last = runs.findLast(({ outcome }) => outcome !== undefined);
  if (last?.outcome !== 'error' || last.failures + 1 < MIN_FAILURES) return undefined;
  const sentence = `${controllerOf(last)} fails on ${nameOf(last)}, ${last.failures + 1} times in a row: ${last.error ?? 'without a message'}`;
  return findingOf('failing', last, sentence);
}

function conflictsIn(runs: readonly OperatorTrace[]): Finding | undefined {
  const conflicting = runs.filter(({ steps }) => steps.some(({ outcome }) => outcome === 'conflict'));
  const last = conflicting.at(-1);
  if (last === undefined || conflicting.length < MIN_CONFLICTS) return undefined;
  const sentence = `${controllerOf(last)} writes ${nameOf(last)} from a stale read: ${conflicting.length} runs in ${seconds(WINDOW_MS)} ended in a conflict.`;
  return findingOf('stale', last, sentence);
}

/** Finds objects that two controllers write in turn. */
function fightsIn(traces: readonly OperatorTrace[]): Finding[] {
  const writers = new Map<string, { readonly trace: OperatorTrace; readonly step: TraceStep }[]>();
  for (const trace of traces.toSorted((a, b) => a.startedMs - b.startedMs)) {
    for (const step of sentWrites(trace)) {
      if (step.name === undefined || step.resource === 'events') continue;
      const key = JSON.stringify([step.resource, step.namespace ?? '', step.name]);
      const group = writers.get(key);
      if (group === undefined) writers.set(key, [{ trace, step }]);
      else group.push({ trace, step });
    }
  }
  return [...writers.values()].flatMap((writes) => {
    const turns = writes.filter(({ trace }, index) => {
      const before = writes[index - 1];
      return before === undefined || controllerOf(trace) !== controllerOf(before.trace);
    });
    const names = [...new Set(turns.map(({ trace }) => controllerOf(trace)))];
    const last = turns.at(-1);
    if (last === undefined || names.length < 2 || turns.length < MIN_TURNS * 2) return [];
    const { step, trace } = last;
    const object = `${step.kind ?? step.resource} ${step.namespace ? `${step.namespace}/` : ''}${step.name}`;
    const sentence = `${names.slice(0, 3).join(' and ')} write ${object} in turn: ${turns.length} turns in ${seconds(WINDOW_MS)}. Each undoes what the other wrote.`;
    return [{ ...findingOf('fight', trace, sentence), object }];
  });
}

/** Names a controller; one that a process elsewhere reports, with the user who vouches for it. */
export function controllerOf({ controller, reporter }: Pick<OperatorTrace, 'controller' | 'reporter'>): string {
  return reporter === undefined ? controller : `${controller} (${reporter.user})`;
}

function sentWrites({ steps }: OperatorTrace): TraceStep[] {
  return steps.filter(({ type, outcome }) => type === 'write' && outcome === 'sent');
}

function isWokenBy(reason: Reason, step: TraceStep): boolean {
  return (
    reason.cause === 'updated' &&
    reason.name === step.name &&
    (reason.namespace ?? '') === (step.namespace ?? '') &&
    (step.kind === undefined || reason.kind === step.kind)
  );
}

function findingOf(type: Finding['type'], trace: OperatorTrace, sentence: string): Finding {
  const { operator, controller, startedMs } = trace;
  return { type, operator, controller, object: nameOf(trace), sentence, lastMs: startedMs };
}

export function nameOf({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return namespace ? `${namespace}/${name}` : name;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
