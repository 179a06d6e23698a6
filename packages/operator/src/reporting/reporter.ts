import { Backoff, type Clock, type Random, type Runnable, type Timer } from '@pintle/async';
import { type Client, readAll, type TransportResponse } from '@pintle/client';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import { Collection, type InspectedManager, type OperatorReport } from '../telemetry/collector.ts';

interface ReporterOptions {
  /** Reports with the credential of this client. */
  readonly client: Client;
  readonly manager: InspectedManager;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Name of the host, which is that of the pod. */
  readonly host: string;
}

const PATH = '/console/reports';
/** Wait before the next try after a server that has no console, or refuses. */
const REFUSED_MS = 10 * 60_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** A stream that lasted so long was a good one: the next follows soon. */
const GOOD_MS = 10_000;
/** A server that sends nothing for so long, not even a sign of life, is gone. */
const SILENT_MS = 90_000;
/** Characters of a line of the server. */
const MAX_LINE = 16_384;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Reconciles of one report, the newest ones. */
const MAX_TRACES = 100;
/** Limits of a server that names none. */
const DEFAULT_BYTES = 256 * 1024;
const DEFAULT_INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 400;

/** A line of the server. */
interface Frame {
  readonly stream?: unknown;
  readonly maxBytes?: unknown;
  readonly intervalMs?: unknown;
  readonly isWanted?: unknown;
}

/**
 * Reports on a manager to the console of its API server, with the credential of the operator, while a page looks. Until then
 * there is one stream, in which the server would say so, and nothing is recorded.
 *
 *     open ──► idle ◄──► reporting      the server says whether a page looks
 *      ▲        │            │
 *      └── wait ┴────────────┘          the stream ended: soon; refused, or no console there: ten minutes
 */
export class Reporter implements Runnable {
  /** Replicas report that do not lead, too. */
  readonly needsLease = false;
  readonly #options: ReporterOptions;
  /** Tells this process apart from others of the same user, also after the stream was opened again. */
  readonly #instance: string;
  #hasWarned = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#instance = options.random.uuid();
  }

  /** Never rejects: an operator works without a console as well. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock, random } = this.#options;
    const backoff = new Backoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, jitter: 0.5, random });
    while (!signal.aborted) {
      const openedMs = clock.monotonic();
      const refused = await this.#open(signal).catch((error: unknown) => this.#noteFailure(error, signal));
      if (signal.aborted) return;
      if (refused === undefined && clock.monotonic() - openedMs >= GOOD_MS) backoff.reset();
      const waitMs = refused === undefined ? backoff.next() : REFUSED_MS * (1 - 0.2 * random.next());
      if (refused !== undefined) this.#warnOnce(refused);
      await clock.sleep(waitMs, { signal }).catch(() => undefined);
    }
  }

  /** Keeps a stream open until it ends. Returns the status of a server that refuses. */
  async #open(signal: AbortSignal): Promise<number | undefined> {
    const { client, host } = this.#options;
    const query = `${new URLSearchParams({ instance: this.#instance, host })}`;
    const ending = new AbortController();
    const both = AbortSignal.any([signal, ending.signal]);
    const response = await client.send({ method: 'POST', path: PATH, query, signal: both });
    if (response.status !== 200) return await refusalOf(response);
    await using stream = new ReportingStream(this.#options, both);
    try {
      for await (const frame of framesOf(response, this.#options.clock, () =>
        ending.abort(new Error('No sign of life')),
      ))
        stream.take(frame, (status) => ending.abort(new Refused(status)));
    } catch (error) {
      if (!(ending.signal.reason instanceof Refused)) throw error;
    } finally {
      ending.abort(ending.signal.reason ?? new Error('The stream has ended'));
    }
    const { reason } = ending.signal;
    // A server that does not know the stream any more knows another.
    if (reason instanceof Refused && reason.status !== 404) return reason.status;
    this.#hasWarned = false;
    return undefined;
  }

  #warnOnce(status: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn('Cannot report to the console; trying again later', {
      status,
      reason: status === 404 ? 'the server has no console' : `the server does not let this operator post ${PATH}`,
    });
  }

  /** A server that cannot be reached is told of by all others who need it. */
  #noteFailure(error: unknown, signal: AbortSignal): undefined {
    if (!signal.aborted) this.#options.log.debug?.('Lost the stream to the console', errorFields(error));
  }
}

/** The server refuses a report. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(status: number) {
    super(`The server refuses reports: ${status}`);
    this.status = status;
  }
}

/** Sends reports while the server wants them. */
class ReportingStream implements AsyncDisposable {
  readonly #options: ReporterOptions;
  readonly #signal: AbortSignal;
  #id: string | undefined;
  #maxBytes = DEFAULT_BYTES;
  #intervalMs = DEFAULT_INTERVAL_MS;
  /** Time from which a report may be sent, however often the server changes what it wants. */
  #nextMs = Number.NEGATIVE_INFINITY;
  #reporting: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(options: ReporterOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  take({ stream, maxBytes, intervalMs, isWanted }: Frame, onRefused: (status: number) => void): void {
    if (typeof stream === 'string' && /^[\w-]{1,100}$/.test(stream)) this.#id = stream;
    if (typeof maxBytes === 'number') this.#maxBytes = Math.min(maxBytes, DEFAULT_BYTES);
    if (typeof intervalMs === 'number') this.#intervalMs = Math.max(intervalMs, MIN_INTERVAL_MS);
    if (isWanted === true && this.#reporting === undefined && this.#id !== undefined) {
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, this.#signal]);
      this.#reporting = { stop, ended: this.#report(this.#id, signal, onRefused).catch(() => undefined) };
    } else if (isWanted === false) {
      this.#reporting?.stop.abort();
      this.#reporting = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reporting?.stop.abort();
    await this.#reporting?.ended;
  }

  async #report(id: string, signal: AbortSignal, onRefused: (status: number) => void): Promise<void> {
    const { client, clock, manager } = this.#options;
    using collection = new Collection(manager);
    const headers = { 'content-type': 'application/json' };
    const postpone = (): void => {
      this.#nextMs = clock.monotonic() + this.#intervalMs;
    };
    while (!signal.aborted) {
      const leftMs = this.#nextMs - clock.monotonic();
      if (leftMs > 0) await clock.sleep(leftMs, { signal });
      postpone();
      const [report] = collection.collect();
      const body = fitted({ ...report!, sentMs: clock.now() }, this.#maxBytes);
      const refused = await client
        .send({ method: 'POST', path: `${PATH}/${id}`, headers, body, signal })
        .then(refusalOf)
        .catch(() => undefined);
      if (refused !== undefined) return onRefused(refused);
      postpone();
    }
  }
}

/** Reads a short answer. Returns its status when the server would refuse the next request as well. */
async function refusalOf(response: TransportResponse): Promise<number | undefined> {
  await readAll(response, { maxBytes: MAX_ANSWER_BYTES });
  const { status } = response;
  return status >= 400 && status < 500 && status !== 429 && status !== 408 ? status : undefined;
}

/** Yields the lines of the server. Calls `onSilent` when it sends none for too long. */
async function* framesOf({ body }: TransportResponse, clock: Clock, onSilent: () => void): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let waiting: Timer | undefined;
  const wait = (): void => {
    waiting?.cancel();
    waiting = clock.setTimer(SILENT_MS, onSilent);
  };
  let rest = '';
  try {
    wait();
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      wait();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) throw new RangeError('Cannot read the stream of the console: a line is too long');
      for (const line of lines) if (line !== '') yield (JSON.parse(line) ?? {}) as Frame;
    }
  } finally {
    waiting?.cancel();
  }
}

/** Returns a report in JSON of at most `maxBytes`, with the newest reconciles. */
export function fitted(report: OperatorReport & { readonly sentMs?: number }, maxBytes: number): Uint8Array {
  const kept: string[] = [];
  let state: typeof report = { ...report, traces: [] };
  // Space for the number of those that are left out, and for commas.
  let bytes = Buffer.byteLength(JSON.stringify(state)) + 32;
  if (bytes > maxBytes) {
    state = { ...state, caches: [], controllers: state.controllers.map((each) => ({ ...each, queue: [] })) };
    bytes = Buffer.byteLength(JSON.stringify(state)) + 32;
  }
  for (const trace of report.traces.toReversed()) {
    const text = JSON.stringify(trace);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > maxBytes || kept.length >= MAX_TRACES) break;
    kept.unshift(text);
  }
  const omittedTraces = report.omittedTraces + report.traces.length - kept.length;
  const head = JSON.stringify({ ...state, traces: undefined, omittedTraces });
  return Buffer.from(`${head.slice(0, -1)},"traces":[${kept.join(',')}]}`);
}
