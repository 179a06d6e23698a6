import type {
  CacheReport,
  ControllerReport,
  OperatorReport,
  QueuedReport,
  Reason,
  ReconcileTrace,
  TraceStep,
} from '../protocol.ts';
import { ConsoleError } from './errors.ts';

/** Bounds of one report that came over the network. The first items of each list are kept. */
export interface ReportLimits {
  /** Characters of a name, a kind, a resource or a revision. */
  readonly name: number;
  /** Characters of the error of a reconcile. */
  readonly error: number;
  readonly controllers: number;
  /** Objects of a queue. */
  readonly queued: number;
  readonly caches: number;
  /** Reconciles of one report. */
  readonly traces: number;
  readonly reasons: number;
  /** Steps of a reconcile. */
  readonly steps: number;
}

export const REPORT_LIMITS: ReportLimits = {
  name: 320,
  error: 1_000,
  controllers: 100,
  queued: 50,
  caches: 200,
  traces: 100,
  reasons: 20,
  steps: 200,
};

/** Differences of clocks that are not more than a report may take. */
const MIN_SHIFT_MS = 2_000;

/** A report without the fields that the server sets. */
export type ReadReport = Omit<OperatorReport, 'operator' | 'reporter' | 'isSilent' | 'isControlPlane'>;

/**
 * Reads a report that any process may have written: only known fields, with the types that they have, within the limits.
 * Throws a ConsoleError for any other value. Times become those of this machine, as the sender's clock may be another.
 */
export function readReport(value: unknown, { nowMs }: { readonly nowMs: number }): ReadReport {
  const report = fields(value, 'report');
  const behindMs = report.sentMs === undefined ? 0 : nowMs - amount(report.sentMs, 'sentMs');
  const shiftMs = Math.abs(behindMs) < MIN_SHIFT_MS ? 0 : behindMs;
  const here = (trace: ReconcileTrace): ReconcileTrace => ({
    ...trace,
    startedMs: Math.min(trace.startedMs + shiftMs, nowMs),
  });
  return {
    name: text(report.name, 'name'),
    pid: amount(report.pid, 'pid'),
    isLeader: flag(report.isLeader, 'isLeader'),
    controllers: list(report.controllers, 'controllers', REPORT_LIMITS.controllers, readController),
    caches: list(report.caches, 'caches', REPORT_LIMITS.caches, readCache),
    traces: list(report.traces, 'traces', REPORT_LIMITS.traces, readTrace).map(here),
    omittedTraces: amount(report.omittedTraces, 'omittedTraces'),
  };
}

function readController(value: unknown): ControllerReport {
  const { name, ready, delayed, active, queue } = fields(value, 'controller');
  return {
    name: text(name, 'name'),
    ready: amount(ready, 'ready'),
    delayed: amount(delayed, 'delayed'),
    active: amount(active, 'active'),
    queue: list(queue, 'queue', REPORT_LIMITS.queued, readQueued),
  };
}

function readQueued(value: unknown): QueuedReport {
  const { namespace, name, state, dueInMs, failures } = fields(value, 'queued object');
  return {
    ...given('namespace', namespace, text),
    name: text(name, 'name'),
    state: oneOf(state, 'state', ['ready', 'delayed', 'active']),
    ...given('dueInMs', dueInMs, amount),
    failures: amount(failures, 'failures'),
  };
}

function readCache(value: unknown): CacheReport {
  const { resource, kind, revision, isSynced, isFailing, silentMs } = fields(value, 'cache');
  return {
    resource: text(resource, 'resource'),
    kind: text(kind, 'kind'),
    revision: text(revision, 'revision'),
    isSynced: flag(isSynced, 'isSynced'),
    isFailing: flag(isFailing, 'isFailing'),
    silentMs: amount(silentMs, 'silentMs'),
  };
}

function readTrace(value: unknown): ReconcileTrace {
  const trace = fields(value, 'trace');
  const { id, controller, namespace, name, reasons, startedMs, failures, steps, omittedSteps } = trace;
  return {
    id: whole(id, 'id'),
    controller: text(controller, 'controller'),
    ...given('namespace', namespace, text),
    name: text(name, 'name'),
    reasons: list(reasons, 'reasons', REPORT_LIMITS.reasons, readReason),
    startedMs: amount(startedMs, 'startedMs'),
    failures: amount(failures, 'failures'),
    steps: list(steps, 'steps', REPORT_LIMITS.steps, readStep),
    omittedSteps: amount(omittedSteps, 'omittedSteps') + beyond(steps, REPORT_LIMITS.steps),
    ...given('durationMs', trace.durationMs, amount),
    ...given('outcome', trace.outcome, (outcome, what) =>
      oneOf(outcome, what, ['success', 'requeue_after', 'error'] as const),
    ),
    ...given('requeueAfterMs', trace.requeueAfterMs, amount),
    ...given('error', trace.error, (error, what) => text(error, what, REPORT_LIMITS.error)),
  };
}

function readReason(value: unknown): Reason {
  const { cause, kind, namespace, name, isInitial } = fields(value, 'reason');
  return {
    cause: text(cause, 'cause'),
    ...given('kind', kind, text),
    ...given('namespace', namespace, text),
    ...given('name', name, text),
    ...given('isInitial', isInitial, flag),
  };
}

function readStep(value: unknown): TraceStep {
  const step = fields(value, 'step');
  return {
    type: oneOf(step.type, 'type', ['read', 'write']),
    atMs: amount(step.atMs, 'atMs'),
    resource: text(step.resource, 'resource'),
    ...given('kind', step.kind, text),
    ...given('namespace', step.namespace, text),
    ...given('name', step.name, text),
    ...given('revision', step.revision, text),
    ...given('from', step.from, (from, what) => oneOf(from, what, ['cache', 'server'] as const)),
    ...given('found', step.found, amount),
    ...given('verb', step.verb, text),
    ...given('outcome', step.outcome, (outcome, what) =>
      oneOf(outcome, what, ['sent', 'suppressed', 'conflict', 'refused'] as const),
    ),
    ...given('status', step.status, amount),
  };
}

/** Controls, marks of direction and separators of lines, with which a text looks like another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns a text as it may be shown: cut, and without invisible characters. */
export function shownText(value: string, max = REPORT_LIMITS.name): string {
  const cut = value.length > max ? `${value.slice(0, max)}…` : value;
  return cut.replace(UNSEEN, ' ');
}

function text(value: unknown, what: string, max?: number): string {
  if (typeof value !== 'string') throw wrong(what, 'a text');
  return shownText(value, max);
}

function amount(value: unknown, what: string): number {
  if (typeof value !== 'number' || !(value >= 0) || value > Number.MAX_SAFE_INTEGER) throw wrong(what, 'an amount');
  return value;
}

function whole(value: unknown, what: string): number {
  if (!Number.isSafeInteger(value)) throw wrong(what, 'a whole number');
  return value as number;
}

function flag(value: unknown, what: string): boolean {
  if (typeof value !== 'boolean') throw wrong(what, 'true or false');
  return value;
}

function oneOf<T extends string>(value: unknown, what: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw wrong(what, `one of ${allowed.join(', ')}`);
  return found;
}

function list<T>(value: unknown, what: string, max: number, read: (item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw wrong(what, 'a list');
  return value.slice(0, max).map(read);
}

function beyond(value: unknown, max: number): number {
  return Array.isArray(value) ? Math.max(0, value.length - max) : 0;
}

function fields(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(what, 'an object');
  return value as Readonly<Record<string, unknown>>;
}

/** A field that may be absent. */
function given<K extends string, T>(
  key: K,
  value: unknown,
  read: (value: unknown, what: string) => T,
): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: read(value, key) } as { readonly [P in K]: T });
}

function wrong(what: string, expected: string): ConsoleError {
  return new ConsoleError({ code: 'BadBody', problem: `${what} is not ${expected}` });
}
