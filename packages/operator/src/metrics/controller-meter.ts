import type { QueueObserver } from '@pintle/client';
import type { NumberCell } from '@pintle/metrics';
import type { ControllerOptions } from '../controller/controller.ts';
import type { FinishedReconcile, ReconcileObserver, ReconcileOutcome } from '../controller/observer.ts';
import { type Request, TerminalError } from '../controller/request.ts';
import type { Around, ManagerMetrics } from './manager-metrics.ts';

/** Metrics of one controller and its queue. */
export class ControllerMeter implements ReconcileObserver {
  readonly queue: QueueObserver;
  around?: <R>(request: Request, reconcile: () => Promise<R>) => Promise<R>;
  readonly finished: (request: Request, finished: FinishedReconcile) => void;
  readonly started: () => void;
  readonly #name: string;

  constructor(metrics: ManagerMetrics, { name, concurrency = 1 }: ControllerOptions) {
    this.#name = name;
    metrics.maxConcurrent.cell(name).value = concurrency;
    this.queue = countQueue(metrics, name);
    const active = metrics.activeWorkers.cell(name);
    this.started = () => active.add(1);
    this.finished = countReconciles(metrics, name, active);
  }

  surround(around: Around): void {
    this.around = (request, reconcile) => around(this.#name, request, reconcile);
  }
}

function countReconciles(
  metrics: ManagerMetrics,
  name: string,
  active: NumberCell,
): (request: Request, finished: FinishedReconcile) => void {
  const results: Record<ReconcileOutcome | 'requeue', NumberCell> = {
    error: metrics.reconciles.cell(name, 'error'),
    requeue: metrics.reconciles.cell(name, 'requeue'),
    requeue_after: metrics.reconciles.cell(name, 'requeue_after'),
    success: metrics.reconciles.cell(name, 'success'),
  };
  const errors = metrics.errors.cell(name);
  const terminal = metrics.terminalErrors.cell(name);
  const durations = metrics.durations.cell(name);
  const panics = metrics.panics.cell(name);
  return (_request, { outcome, durationMs, error, isPanic }) => {
    active.add(-1);
    results[outcome].add();
    durations.observe(durationMs / 1_000);
    if (outcome !== 'error') return;
    errors.add();
    if (isPanic) panics.add();
    if (error instanceof TerminalError) terminal.add();
  };
}

function countQueue(metrics: ManagerMetrics, name: string): QueueObserver {
  const [adds, retries] = [metrics.adds.cell(name, name), metrics.retries.cell(name, name)];
  const [waits, works] = [metrics.waits.cell(name, name), metrics.works.cell(name, name)];
  return {
    added: () => adds.add(),
    retried: () => retries.add(),
    started: (waitedMs) => waits.observe(waitedMs / 1_000),
    finished: (workedMs) => works.observe(workedMs / 1_000),
  };
}
