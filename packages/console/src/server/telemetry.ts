import type { OpenWatch, RequestLog, RequestRecord } from '@pintle/apiserver';
import type { Clock, Timer } from '@pintle/async';
import type { OperatorReport, TelemetryEvent } from '../protocol.ts';

/** Reports on operators, while they are wanted. */
export interface OperatorSource {
  /** Calls `onReport` with each report until the result is disposed of. */
  open(onReport: (report: OperatorReport) => void): Disposable;
}

interface TelemetryOptions {
  readonly clock: Clock;
  readonly sources: readonly OperatorSource[];
  /** Requests and watches of the server. Default: none are shown. */
  readonly requests?: RequestLog | undefined;
}

/** Keeps recording for so long after the last page has closed, so that a reload shows what came before. */
const LINGER_MS = 60_000;
const TICK_MS = 400;
/** Bounds of what is kept for pages that open later; the oldest go first. */
const MAX_TRACES = 1_000;
const MAX_REQUESTS = 500;
/** An operator without a report for so long has ended. */
const SILENT_MS = 5_000;
/** Lines that wait for one slow page; beyond, its stream ends, and the page opens another. */
const MAX_WAITING = 200;

/** Collects telemetry while a page looks, and a minute longer. Otherwise nothing is recorded. */
export class TelemetryHub {
  readonly #options: TelemetryOptions;
  readonly #pages = new Set<(line: TelemetryEvent) => void>();
  readonly #operators = new Map<string, { report: OperatorReport; heardMs: number }>();
  readonly #traces = new Map<string, TelemetryEvent & { type: 'trace' }>();
  readonly #requests: RequestRecord[] = [];
  #newRequests: RequestRecord[] = [];
  #opened: Disposable[] | undefined;
  #tick: Timer | undefined;
  #linger: Timer | undefined;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** Yields lines of JSON until `signal` aborts: first the state, then each change. */
  async *open({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<Uint8Array> {
    const waiting: TelemetryEvent[] = [{ type: 'hello', protocol: 1 }, ...this.#state()];
    let wake = (): void => {};
    let isFull = false;
    const page = (line: TelemetryEvent): void => {
      if (waiting.length < MAX_WAITING) waiting.push(line);
      else isFull = true;
      wake();
    };
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort);
    this.#pages.add(page);
    this.#begin();
    try {
      while (!signal.aborted && !isFull) {
        if (waiting.length > 0) {
          const lines = waiting.splice(0).map((line) => `${JSON.stringify(line)}\n`);
          yield Buffer.from(lines.join(''));
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#pages.delete(page);
      if (this.#pages.size === 0) this.#endLater();
    }
  }

  *#state(): Generator<TelemetryEvent> {
    for (const { report } of this.#operators.values()) yield operatorLine(report);
    yield* this.#traces.values();
    if (this.#requests.length > 0) yield { type: 'requests', requests: this.#requests };
  }

  #begin(): void {
    this.#linger?.cancel();
    if (this.#opened !== undefined) return;
    const { sources, requests } = this.#options;
    this.#opened = sources.map((source) => source.open((report) => this.#take(report)));
    if (requests !== undefined) this.#opened.push(requests.follow((record) => this.#note(record)));
    this.#wait();
  }

  #endLater(): void {
    this.#linger?.cancel();
    this.#linger = this.#options.clock.setTimer(LINGER_MS, () => {
      for (const opened of this.#opened ?? []) opened[Symbol.dispose]();
      this.#opened = undefined;
      this.#tick?.cancel();
      this.#operators.clear();
      this.#traces.clear();
      this.#requests.length = 0;
    });
  }

  #wait(): void {
    this.#tick = this.#options.clock.setTimer(TICK_MS, () => {
      this.#send();
      this.#wait();
    });
  }

  #send(): void {
    const { clock, requests } = this.#options;
    for (const [operator, { heardMs }] of this.#operators) {
      if (clock.monotonic() - heardMs < SILENT_MS) continue;
      this.#operators.delete(operator);
      this.#toPages({ type: 'gone', operator });
    }
    if (this.#newRequests.length > 0) this.#toPages({ type: 'requests', requests: this.#newRequests });
    this.#newRequests = [];
    if (requests !== undefined && this.#pages.size > 0)
      this.#toPages({ type: 'watches', watches: shownWatches(requests.watches()) });
  }

  #take(report: OperatorReport): void {
    this.#operators.set(report.operator, { report, heardMs: this.#options.clock.monotonic() });
    this.#toPages(operatorLine(report));
    for (const trace of report.traces) {
      const line = { type: 'trace', operator: report.operator, trace } as const;
      const key = `${report.operator} ${trace.id}`;
      this.#traces.delete(key);
      this.#traces.set(key, line);
      this.#toPages(line);
    }
    for (const key of this.#traces.keys()) {
      if (this.#traces.size <= MAX_TRACES) break;
      this.#traces.delete(key);
    }
  }

  #note(record: RequestRecord): void {
    this.#requests.push(record);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
    if (this.#newRequests.length < MAX_REQUESTS) this.#newRequests.push(record);
  }

  #toPages(line: TelemetryEvent): void {
    for (const page of this.#pages) page(line);
  }
}

function operatorLine({ traces: _traces, ...report }: OperatorReport): TelemetryEvent {
  return { type: 'operator', report: { ...report, traces: [] } };
}

const MAX_WATCHES = 1_000;

/** The watches that are furthest behind come first. */
function shownWatches(watches: readonly OpenWatch[]): OpenWatch[] {
  const lag = ({ revision, storeRevision }: OpenWatch): number => (revision === 0 ? 0 : storeRevision - revision);
  return watches.toSorted((a, b) => lag(b) - lag(a) || a.id - b.id).slice(0, MAX_WATCHES);
}
