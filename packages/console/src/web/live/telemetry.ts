import type {
  OpenWatch,
  OperatorReport,
  ReconcileTrace,
  Reporter,
  RequestRecord,
  TelemetryEvent,
} from '../../protocol.ts';
import { PATHS } from '../../protocol.ts';
import { ApiError, send } from '../api/http.ts';
import { record } from '../api/objects.ts';
import { pause } from '../state/pause.ts';
import { linesOf } from './watch-lines.ts';

/** A reconcile, and the operator that ran it. */
export interface OperatorTrace extends ReconcileTrace {
  readonly operator: string;
  /** Present when a process elsewhere said so. */
  readonly reporter?: Reporter | undefined;
}

export interface TelemetryState {
  readonly phase: 'loading' | 'live' | 'lost' | 'denied';
  readonly operators: readonly OperatorReport[];
  /** The newest last. */
  readonly traces: readonly OperatorTrace[];
  readonly requests: readonly RequestRecord[];
  readonly watches: readonly OpenWatch[];
}

/** Kept in the page; the oldest go first. */
const MAX_TRACES = 1_500;
/** Of an operator that others report, so that one that reports much leaves room for the others. */
const MAX_REPORTED_TRACES = 200;
const MAX_REQUESTS = 500;
const RETRY_MS = 1_000;

/** Follows the stream of telemetry while a view shows it. */
class TelemetryStore {
  readonly #listeners = new Set<() => void>();
  readonly #operators = new Map<string, OperatorReport>();
  readonly #traces = new Map<string, OperatorTrace>();
  /** Keys of the traces of operators that others report. */
  readonly #reported = new Map<string, Set<string>>();
  #requests: RequestRecord[] = [];
  #watches: readonly OpenWatch[] = [];
  #phase: TelemetryState['phase'] = 'loading';
  #state: TelemetryState = { phase: 'loading', operators: [], traces: [], requests: [], watches: [] };
  #running: AbortController | undefined;
  #isDirty = false;

  readonly get = (): TelemetryState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#running === undefined) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#running?.abort();
      this.#running = undefined;
    };
  };

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { body } = await send(PATHS.stream, { method: 'POST', signal });
        this.#phase = 'live';
        for await (const lines of linesOf(body ?? new ReadableStream(), signal)) {
          for (const line of lines) this.#take(JSON.parse(line));
          this.#changed();
        }
      } catch (error) {
        if (signal.aborted) return;
        const isDenied = error instanceof ApiError && (error.status === 403 || error.status === 404);
        this.#phase = isDenied ? 'denied' : 'lost';
        this.#changed();
        if (isDenied) return;
      }
      await pause(RETRY_MS, signal);
    }
  }

  /** Takes a line of the console's own server, which is built from the same protocol. */
  #take(line: unknown): void {
    if (record(line) === undefined) return;
    const event = line as TelemetryEvent;
    switch (event.type) {
      case 'operator':
        this.#operators.set(event.report.operator, event.report);
        break;
      case 'gone':
        this.#operators.delete(event.operator);
        for (const key of this.#reported.get(event.operator) ?? []) this.#traces.delete(key);
        this.#reported.delete(event.operator);
        break;
      case 'traces':
        for (const trace of event.traces)
          this.#takeTrace({ ...trace, operator: event.operator, reporter: event.reporter });
        break;
      case 'requests':
        this.#requests = [...this.#requests, ...event.requests].slice(-MAX_REQUESTS);
        break;
      case 'watches':
        this.#watches = event.watches;
        break;
    }
  }

  #takeTrace(trace: OperatorTrace): void {
    const key = `${trace.operator} ${trace.id}`;
    this.#traces.set(key, trace);
    if (trace.reporter !== undefined) {
      const own = this.#reported.get(trace.operator) ?? new Set();
      this.#reported.set(trace.operator, own.add(key));
      if (own.size > MAX_REPORTED_TRACES) this.#forget(own, own.values().next().value ?? '');
    }
    for (const [oldest, { operator }] of this.#traces) {
      if (this.#traces.size <= MAX_TRACES) break;
      this.#forget(this.#reported.get(operator), oldest);
    }
  }

  #forget(own: Set<string> | undefined, key: string): void {
    this.#traces.delete(key);
    own?.delete(key);
  }

  #changed(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    window.setTimeout(() => {
      this.#isDirty = false;
      this.#state = {
        phase: this.#phase,
        operators: [...this.#operators.values()],
        traces: [...this.#traces.values()],
        requests: this.#requests,
        watches: this.#watches,
      };
      for (const listener of this.#listeners) listener();
    }, 100);
  }
}

export const telemetry = new TelemetryStore();
