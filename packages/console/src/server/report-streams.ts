import { createHash, randomBytes } from 'node:crypto';
import type { ApiRequest, ApiResponse, UserInfo } from '@pintle/apiserver';
import { onRequestEnd } from '@pintle/apiserver/request';
import { type Clock, type Deferred, deferred, type Timer } from '@pintle/async';
import type { OperatorReport, Reporter, ReportFrame } from '../protocol.ts';
import { PATHS } from '../protocol.ts';
import { Bodies } from './bodies.ts';
import { ConsoleError } from './errors.ts';
import { requireNoBrowser } from './guard.ts';
import { readReport, shownText } from './read-report.ts';
import { dataResponse, jsonResponse, refusal } from './responses.ts';
import type { OperatorSource } from './telemetry.ts';

interface ReportStreamsOptions {
  readonly clock: Clock;
  /** Told of errors that no request can explain. */
  readonly onError?: (error: unknown, path: string) => void;
}

/** Streams of all users; each is an operator that may be shown. */
const MAX_STREAMS = 128;
/** Streams of one user: replicas of its operators. */
const MAX_STREAMS_PER_USER = 32;
/** Bytes of one report. */
const MAX_REPORT_BYTES = 256 * 1024;
/** Bytes of all reports that arrive. */
const MAX_ARRIVING_BYTES = 16 * 1024 * 1024;
/** Between two reports of a stream. */
const INTERVAL_MS = 1_000;
/** A stream whose reports follow each other faster is refused. */
const MIN_INTERVAL_MS = 250;
/** Between two signs of life in an idle stream, which find connections that are dead. */
const BEAT_MS = 30_000;
/** A stream ends after so long. Its operator opens another, unless its credential is not good any more. */
const LIFE_MS = 10 * 60_000;

/**
 * Streams that operators keep open, each with its own credential. A stream says whether a page looks; reports come in requests
 * of their own. The API has authenticated, audited and authorized all of them before they come here.
 */
export class ReportStreams implements OperatorSource {
  readonly #options: ReportStreamsOptions;
  /** By their names, which cannot be guessed. */
  readonly #streams = new Map<string, ReportStream>();
  readonly #followers = new Set<(report: OperatorReport) => void>();
  readonly #bodies = new Bodies(MAX_ARRIVING_BYTES);
  #beat: Timer | undefined;

  constructor(options: ReportStreamsOptions) {
    this.#options = options;
  }

  open(onReport: (report: OperatorReport) => void): Disposable {
    this.#followers.add(onReport);
    this.#announce();
    return {
      [Symbol.dispose]: () => {
        this.#followers.delete(onReport);
        this.#announce();
      },
    };
  }

  /** Answers a request of `user` for the path of reports, or for one below it. Never rejects. */
  async serve(request: ApiRequest, user: UserInfo, path: string): Promise<ApiResponse> {
    try {
      if (request.method !== 'POST') throw new ConsoleError({ code: 'WrongMethod', method: request.method });
      requireNoBrowser(request);
      if (user.username === 'system:anonymous' || user.username === '') throw new ConsoleError({ code: 'NoSession' });
      if (path === PATHS.reports) return this.#begin(request, user);
      return await this.#take(request, user, path);
    } catch (error) {
      if (!(error instanceof ConsoleError)) this.#options.onError?.(error, request.path);
      return refusal(error);
    }
  }

  #begin(request: ApiRequest, user: UserInfo): ApiResponse {
    const query = new URLSearchParams(request.query);
    const stream = new ReportStream(user, query.get('instance') ?? '', query.get('host') ?? '', this.#options.clock);
    // An operator that opens a stream again has lost the one before.
    const former = [...this.#streams.values()].find(({ operator }) => operator === stream.operator);
    if (former !== undefined) this.#end(former);
    const own = [...this.#streams.values()].filter((each) => each.isOf(user));
    if (own.length >= MAX_STREAMS_PER_USER) throw tooMany(MAX_STREAMS_PER_USER, 'a user');
    if (this.#streams.size >= MAX_STREAMS) throw tooMany(MAX_STREAMS, 'the server');
    this.#streams.set(stream.id, stream);
    this.#wait();
    const end = (): void => this.#end(stream);
    const forget = onRequestEnd(request, end);
    if (this.#followers.size > 0) stream.setWanted(true);
    const headers = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' };
    return dataResponse({ status: 200, headers, body: closing(stream.frames(), [end, forget]) });
  }

  async #take(request: ApiRequest, user: UserInfo, path: string): Promise<ApiResponse> {
    const stream = this.#streams.get(path.slice(PATHS.reports.length + 1));
    if (stream === undefined || !stream.isOf(user)) throw new ConsoleError({ code: 'NotFound', path: PATHS.reports });
    stream.noteReport();
    const body = await this.#bodies.readJson(request, { holder: user.username, maxBytes: MAX_REPORT_BYTES });
    const read = readReport(body, { nowMs: this.#options.clock.now() });
    const { operator, reporter } = stream;
    // The fields of the server come last, so that no report sets them.
    const report: OperatorReport = { ...read, isControlPlane: false, operator, reporter };
    if (this.#streams.has(stream.id)) for (const follower of this.#followers) follower(report);
    return jsonResponse(200, { isWanted: this.#followers.size > 0 } satisfies ReportFrame);
  }

  #announce(): void {
    for (const stream of this.#streams.values()) stream.setWanted(this.#followers.size > 0);
  }

  #end(stream: ReportStream): void {
    stream.close();
    this.#streams.delete(stream.id);
    if (this.#streams.size > 0) return;
    this.#beat?.cancel();
    this.#beat = undefined;
  }

  #wait(): void {
    this.#beat ??= this.#options.clock.setTimer(BEAT_MS, () => {
      this.#beat = undefined;
      for (const stream of [...this.#streams.values()]) if (!stream.beat()) this.#end(stream);
      if (this.#streams.size > 0) this.#wait();
    });
  }
}

function tooMany(max: number, of: string): ConsoleError {
  return new ConsoleError({ code: 'TooManyStreams', max, of });
}

const encoder = new TextEncoder();

/** One operator, as long as its stream is open. */
class ReportStream {
  readonly id = randomBytes(18).toString('base64url');
  /** Names the operator on pages. It has the user in it: no other user's operator has the same. */
  readonly operator: string;
  readonly reporter: Reporter;
  readonly #user: UserInfo;
  readonly #clock: Clock;
  readonly #openedMs: number;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #isWanted = false;
  #sentWanted = false;
  #isBeatDue = false;
  #isOver = false;
  #changed: Deferred<void> = deferred();

  /** `instance` tells processes of one user apart, `host` is where it says that it runs. */
  constructor(user: UserInfo, instance: string, host: string, clock: Clock) {
    this.#user = user;
    this.#clock = clock;
    this.#openedMs = clock.monotonic();
    const identity = JSON.stringify([user.username, user.uid ?? '', instance]);
    this.operator = `reported/${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}`;
    const pod = user.extra?.['authentication.kubernetes.io/pod-name']?.[0];
    this.reporter = {
      user: shownText(user.username),
      ...(pod !== undefined ? { pod: shownText(pod) } : host !== '' && { host: shownText(host) }),
    };
  }

  isOf({ username, uid }: UserInfo): boolean {
    return username === this.#user.username && uid === this.#user.uid;
  }

  /** Throws when the last report is too young. */
  noteReport(): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#reportedMs < MIN_INTERVAL_MS) throw new ConsoleError({ code: 'TooSoon', minMs: MIN_INTERVAL_MS });
    this.#reportedMs = nowMs;
  }

  setWanted(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#changed.resolve();
  }

  /** Sends a sign of life; false when the stream is at its end. */
  beat(): boolean {
    this.#isBeatDue = true;
    this.#changed.resolve();
    return this.#clock.monotonic() - this.#openedMs < LIFE_MS;
  }

  close(): void {
    this.#isOver = true;
    this.#changed.resolve();
  }

  /** Yields lines. Only the state of the moment waits for an operator that does not read. */
  async *frames(): AsyncGenerator<Uint8Array> {
    yield lineOf({ stream: this.id, maxBytes: MAX_REPORT_BYTES, intervalMs: INTERVAL_MS });
    while (!this.#isOver) {
      this.#changed = deferred();
      if (this.#isWanted !== this.#sentWanted) {
        this.#sentWanted = this.#isWanted;
        yield lineOf({ isWanted: this.#isWanted });
      } else if (this.#isBeatDue) {
        this.#isBeatDue = false;
        yield lineOf({});
      } else await this.#changed.promise;
    }
  }
}

async function* closing(frames: AsyncIterable<Uint8Array>, ends: readonly (() => void)[]): AsyncGenerator<Uint8Array> {
  try {
    yield* frames;
  } finally {
    for (const end of ends) end();
  }
}

function lineOf(frame: ReportFrame): Uint8Array {
  return encoder.encode(`${JSON.stringify(frame)}\n`);
}
