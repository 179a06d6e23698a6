import type { OpenWatch, RequestLog, RequestRecord } from '@pintle/apiserver';
import type { Clock, Timer } from '@pintle/async';
import type { OperatorReport, TelemetryEvent } from '../protocol.ts';
import { KeptTraces, tracesEvent } from './kept-traces.ts';

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
const MAX_REQUESTS = 500;
/** An operator of this machine without a report for so long has ended; one that others report is shown as silent. */
const SILENT_MS = 5_000;
/** An operator that others report and that is silent for so long is not shown any more. */
const GONE_MS = 60_000;
/** Operators that one user reports. The one that was silent longest makes room. */
const MAX_REPORTED_PER_USER = 32;
/** Operators that users report. */
const MAX_REPORTED = 128;
/** Lines that wait for one slow page; beyond, its stream ends, and the page opens another. */
const MAX_WAITING = 200;
/** Bytes that wait for one slow page. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** Collects telemetry while a page looks, and a minute longer. Otherwise nothing is recorded. */
export class TelemetryHub {
  readonly #options: TelemetryOptions;
  readonly #pages = new Set<(line: Buffer) => void>();
  /** In the order in which they were heard last. */
  readonly #operators = new Map<string, { report: OperatorReport; heardMs: number }>();
  readonly #traces = new KeptTraces();
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
    const waiting = [lineOf({ type: 'hello', protocol: 1 }), ...Array.from(this.#state(), lineOf)];
    let waitingBytes = 0;
    let wake = (): void => {};
    let isFull = false;
    const page = (line: Buffer): void => {
      waitingBytes += line.length;
      if (waiting.length < MAX_WAITING && waitingBytes <= MAX_WAITING_BYTES) waiting.push(line);
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
          waitingBytes = 0;
          yield Buffer.concat(waiting.splice(0));
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
    for (const { report } of this.#operators.values()) yield { type: 'operator', report };
    yield* this.#traces.events();
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
    for (const [operator, known] of this.#operators) {
      const silentMs = clock.monotonic() - known.heardMs;
      if (silentMs < SILENT_MS) continue;
      if (known.report.reporter === undefined || silentMs >= GONE_MS) this.#drop(operator);
      else if (!known.report.isSilent) {
        known.report = { ...known.report, isSilent: true };
        this.#toPages({ type: 'operator', report: known.report });
      }
    }
    if (this.#newRequests.length > 0) this.#toPages({ type: 'requests', requests: this.#newRequests });
    this.#newRequests = [];
    if (requests !== undefined && this.#pages.size > 0)
      this.#toPages({ type: 'watches', watches: shownWatches(requests.watches()) });
  }

  #take({ traces, ...said }: OperatorReport): void {
    const { operator, reporter } = said;
    const report: OperatorReport = { ...said, traces: [] };
    this.#operators.delete(operator);
    if (reporter !== undefined) this.#makeRoomFor(reporter.user);
    this.#operators.set(operator, { report, heardMs: this.#options.clock.monotonic() });
    this.#toPages({ type: 'operator', report });
    if (traces.length === 0) return;
    this.#traces.add({ ...said, traces });
    this.#toPages(tracesEvent({ operator, reporter, traces }));
  }

  #makeRoomFor(user: string): void {
    const reported = [...this.#operators.values()].filter(({ report }) => report.reporter !== undefined);
    const own = reported.filter(({ report }) => report.reporter?.user === user);
    if (own.length >= MAX_REPORTED_PER_USER) this.#drop(own[0]!.report.operator);
    else if (reported.length >= MAX_REPORTED) this.#drop(reported[0]!.report.operator);
  }

  /** Reconciles of operators of this machine stay, and tell why one ended. */
  #drop(operator: string): void {
    if (this.#operators.get(operator)?.report.reporter !== undefined) this.#traces.drop(operator);
    this.#operators.delete(operator);
    this.#toPages({ type: 'gone', operator });
  }

  #note(record: RequestRecord): void {
    this.#requests.push(record);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
    if (this.#newRequests.length < MAX_REQUESTS) this.#newRequests.push(record);
  }

  #toPages(event: TelemetryEvent): void {
    if (this.#pages.size === 0) return;
    const line = lineOf(event);
    for (const page of this.#pages) page(line);
  }
}

function lineOf(event: TelemetryEvent): Buffer {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}

const MAX_WATCHES = 1_000;

/** The watches that are furthest behind come first. */
function shownWatches(watches: readonly OpenWatch[]): OpenWatch[] {
  const lag = ({ revision, storeRevision }: OpenWatch): number => (revision === 0 ? 0 : storeRevision - revision);
  return watches.toSorted((a, b) => lag(b) - lag(a) || a.id - b.id).slice(0, MAX_WATCHES);
}
