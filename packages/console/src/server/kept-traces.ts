import type { OperatorReport, ReconcileTrace, Reporter, TelemetryEvent } from '../protocol.ts';

/** Reconciles of one operator of this machine that are kept for pages that open later; the oldest go first. */
const MAX_TRACES = 1_000;
/** Reconciles of one operator that others report. */
const MAX_REPORTED_TRACES = 100;
/** Bytes of all reconciles that others report; the operator with the most of them loses its oldest. */
const MAX_REPORTED_BYTES = 16 * 1024 * 1024;

interface Kept {
  readonly reporter: Reporter | undefined;
  /** By their ids, those that changed last at the end. */
  readonly traces: Map<number, { readonly trace: ReconcileTrace; readonly bytes: number }>;
  bytes: number;
}

/** The last reconciles of each operator. */
export class KeptTraces {
  readonly #byOperator = new Map<string, Kept>();
  #reportedBytes = 0;

  add({ operator, reporter, traces }: OperatorReport): void {
    if (traces.length === 0) return;
    const kept = this.#byOperator.get(operator) ?? { reporter, traces: new Map(), bytes: 0 };
    this.#byOperator.set(operator, kept);
    for (const trace of traces) {
      this.#remove(kept, trace.id);
      const bytes = reporter === undefined ? 0 : JSON.stringify(trace).length;
      kept.traces.set(trace.id, { trace, bytes });
      kept.bytes += bytes;
      this.#reportedBytes += bytes;
    }
    const max = reporter === undefined ? MAX_TRACES : MAX_REPORTED_TRACES;
    while (kept.traces.size > max) this.#removeOldest(kept);
    while (this.#reportedBytes > MAX_REPORTED_BYTES) this.#removeOldest(this.#largest());
  }

  /** Forgets an operator. */
  drop(operator: string): void {
    this.#reportedBytes -= this.#byOperator.get(operator)?.bytes ?? 0;
    this.#byOperator.delete(operator);
  }

  clear(): void {
    this.#byOperator.clear();
    this.#reportedBytes = 0;
  }

  *events(): Generator<TelemetryEvent> {
    for (const [operator, { reporter, traces }] of this.#byOperator)
      yield tracesEvent({ operator, reporter, traces: Array.from(traces.values(), ({ trace }) => trace) });
  }

  #largest(): Kept {
    return [...this.#byOperator.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most));
  }

  #removeOldest(kept: Kept): void {
    const oldest = kept.traces.keys().next();
    if (!oldest.done) this.#remove(kept, oldest.value);
  }

  #remove(kept: Kept, id: number): void {
    const bytes = kept.traces.get(id)?.bytes ?? 0;
    kept.traces.delete(id);
    kept.bytes -= bytes;
    this.#reportedBytes -= bytes;
  }
}

export function tracesEvent({
  operator,
  reporter,
  traces,
}: {
  readonly operator: string;
  readonly reporter?: Reporter | undefined;
  readonly traces: readonly ReconcileTrace[];
}): TelemetryEvent {
  return { type: 'traces', operator, ...(reporter && { reporter }), traces };
}
