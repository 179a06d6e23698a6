import type { Clock, Eventual } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { MetricsRegistry } from '@pintle/metrics';
import { counter } from '@pintle/metrics';
import type { AuditEvent } from './audit-event.ts';
import type { AuditOptions } from './audit-stage.ts';
import { encodeAuditEvent } from './encode-event.ts';
import type { RotationOptions } from './rotating-file.ts';
import { RotatingFile } from './rotating-file.ts';

/**
 * Receives events, which do not change any more. Writing never waits and never fails: a sink that cannot keep up drops events
 * and counts them.
 */
export interface AuditSink {
  write(event: AuditEvent): void;
  /** Returns once what was written before has reached its place, or is lost. Absent where that is so already, or not promised. */
  written?(): Eventual<void>;
  /** True when the last event could not be written. */
  readonly isFailing?: boolean;
  /** Number of lost events. */
  readonly dropped?: number;
}

export interface ClosableSink extends AuditSink {
  /** As `write`, for an event of another process in JSON. */
  writeEncoded(json: string): void;
  close(): Promise<void>;
}

/** Writes every event to all sinks. */
export function teeSink(sinks: readonly ClosableSink[]): ClosableSink {
  return {
    write: (event) => {
      for (const sink of sinks) sink.write(event);
    },
    writeEncoded: (json) => {
      for (const sink of sinks) sink.writeEncoded(json);
    },
    get isFailing() {
      return sinks.some((sink) => sink.isFailing);
    },
    get dropped() {
      return sinks.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
    },
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}

export interface FileSinkOptions extends Partial<RotationOptions> {
  /**
   * Writes each event to the file before `write` returns, and so before the response is sent. Otherwise events wait a moment
   * for others, and waiting ones are lost when the process is killed. Neither calls fsync: unwritten pages are lost in a power
   * failure.
   */
  readonly isBlocking?: boolean;
  /** Bytes that may wait; events beyond that are dropped and counted. Default 16 MiB. */
  readonly maxQueuedBytes?: number;
  /** Called when writing begins to fail, and again when it fails after a recovery. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

const DEFAULTS = {
  maxBytes: 100 * 1024 * 1024,
  maxBackups: 0,
  maxAgeMs: 0,
  isBlocking: false,
  maxQueuedBytes: 16 * 1024 * 1024,
  clock: realClock,
};
/** Time for which events are collected into one write: a long write takes no longer than a short one. */
const GATHER_MS = 10;

/** Writes audit events as lines of JSON to a file that only its owner can read. */
export class FileSink implements ClosableSink, AsyncDisposable {
  readonly #options: FileSinkOptions & typeof DEFAULTS;
  readonly #file: RotatingFile;
  #queue: (AuditEvent | string)[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;
  #dropped = 0;

  private constructor(file: RotatingFile, options: FileSinkOptions & typeof DEFAULTS) {
    this.#file = file;
    this.#options = options;
  }

  /** Opens the file for appending. */
  static async open(path: string, options: FileSinkOptions = {}): Promise<FileSink> {
    const complete = { ...DEFAULTS, ...options };
    return new FileSink(new RotatingFile(path, complete), complete);
  }

  /** Events lost because the disk failed or did not keep up. */
  get dropped(): number {
    return this.#dropped;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  write(event: AuditEvent): void {
    this.#write(event);
  }

  writeEncoded(json: string): void {
    this.#write(json);
  }

  #write(event: AuditEvent | string): void {
    if (this.#isClosed) this.#dropped++;
    else if (this.#options.isBlocking) this.#writeNow(event);
    else this.#enqueue(event);
  }

  /** Resolves once everything written before is in the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    this.#file.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enqueue(event: AuditEvent | string): void {
    const line = typeof event !== 'string' && hasBody(event) ? encodeAuditEvent(event) : event;
    const bytes = typeof line === 'string' ? line.length : aboutBytes(line);
    if (this.#queuedBytes + bytes > this.#options.maxQueuedBytes) {
      this.#dropped++;
      return;
    }
    this.#queue.push(line);
    this.#queuedBytes += bytes;
    this.#writing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      if (!this.#isClosed) await this.#options.clock.sleep(GATHER_MS);
      const lines = this.#queue;
      this.#queue = [];
      this.#queuedBytes = 0;
      const bytes = encode(lines);
      await this.#file.append(bytes).then(
        () => this.#succeeded(),
        (error: unknown) => this.#failed(error, lines.length),
      );
    }
    this.#writing = undefined;
  }

  #writeNow(event: AuditEvent | string): void {
    try {
      this.#file.appendSync(encode([event]));
      this.#succeeded();
    } catch (error) {
      this.#failed(error, 1);
    }
  }

  #succeeded(): void {
    this.#isFailing = false;
  }

  #failed(error: unknown, lost: number): void {
    this.#dropped += lost;
    if (!this.#isFailing) this.#options.onError?.(error);
    this.#isFailing = true;
  }
}

function encode(lines: readonly (AuditEvent | string)[]): Uint8Array {
  return Buffer.from(lines.map(toLine).join(''));
}

/** True for events that are encoded at once, because only encoding shows their length. Others are encoded when written. */
function hasBody({ requestObject, responseObject }: AuditEvent): boolean {
  return requestObject !== undefined || responseObject !== undefined;
}

/** Estimates the bytes of an event without bodies by the texts that a client chooses. */
function aboutBytes({ requestURI, userAgent = '', responseStatus }: AuditEvent): number {
  // The message of a refusal is repeated in its causes.
  return 512 + requestURI.length + userAgent.length + 2 * (responseStatus?.message?.length ?? 0);
}

function toLine(event: AuditEvent | string): string {
  return `${typeof event === 'string' ? event : encodeAuditEvent(event)}\n`;
}

/** Counts audit events and lost ones. */
export class AuditMetrics {
  readonly #sinks: AuditSink[] = [];
  #events = 0;

  constructor(registry: MetricsRegistry) {
    const read = (name: string, help: string, value: () => number): void => {
      registry.add(counter(name, help, [])).cell().read = value;
    };
    read(
      'apiserver_audit_event_total',
      'Audit events that were made and given to the log and the webhook.',
      () => this.#events,
    );
    read(
      'apiserver_audit_error_total',
      'Audit events that were lost: the disk or the webhook failed or did not keep up.',
      () => this.#sinks.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
    );
  }

  /** Returns the options with counted sinks. */
  counted(options: AuditOptions): AuditOptions {
    const { sink, anonymousSink } = options;
    return {
      ...options,
      sink: this.#countedSink(sink),
      ...(anonymousSink && { anonymousSink: this.#countedSink(anonymousSink) }),
    };
  }

  #countedSink(sink: AuditSink): AuditSink {
    this.#sinks.push(sink);
    return {
      write: (event) => {
        this.#events++;
        sink.write(event);
      },
      ...(sink.written && { written: () => sink.written!() }),
      get isFailing() {
        return sink.isFailing ?? false;
      },
    };
  }
}
