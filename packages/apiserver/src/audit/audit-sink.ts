import type { Clock } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { MetricsRegistry } from '@pintle/metrics';
import { counter } from '@pintle/metrics';
import type { AuditEvent } from './audit-event.ts';
import type { AuditOptions } from './audit-stage.ts';
import { encodeAuditEvent } from './encode-event.ts';
import type { RotationOptions } from './rotating-file.ts';
import { RotatingFile } from './rotating-file.ts';

/**
 * Takes events, which nobody changes any more. Writing never waits and never fails: a sink that cannot keep up drops and
 * counts.
 */
export interface AuditSink {
  write(event: AuditEvent): void;
  /** The last event that was to be written could not be. */
  readonly isFailing?: boolean;
  /** How many events were lost so far. */
  readonly dropped?: number;
}

export type ClosableSink = AuditSink & { close(): Promise<void> };

/** Tells several of everything. */
export function teeSink(sinks: readonly ClosableSink[]): ClosableSink {
  return {
    write: (event) => {
      for (const sink of sinks) sink.write(event);
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
   * Each event is in the file when `write` returns, and so before its answer goes out; else events wait a moment for
   * others, and those that wait are lost when the process is killed. Neither waits for the disk itself: what the system
   * has not written out is lost when the machine loses its power.
   */
  readonly isBlocking?: boolean;
  /** How many bytes may wait; events beyond that are dropped and counted. Default 16 MiB. */
  readonly maxQueuedBytes?: number;
  /** Told once when writing starts to fail, and again after it has recovered and fails anew. */
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
/** Events of so much time are written at once: a file takes one long write as fast as one short. */
const GATHER_MS = 10;

/** Audit events as lines of JSON in a file that is for its owner alone. */
export class FileSink implements AuditSink, AsyncDisposable {
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

  /** Appends to what the file holds already. */
  static async open(path: string, options: FileSinkOptions = {}): Promise<FileSink> {
    const complete = { ...DEFAULTS, ...options };
    return new FileSink(new RotatingFile(path, complete), complete);
  }

  /** Events that were lost because the disk did not keep up or failed. */
  get dropped(): number {
    return this.#dropped;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  write(event: AuditEvent): void {
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

  #enqueue(event: AuditEvent): void {
    const line = hasBody(event) ? encodeAuditEvent(event) : event;
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

  #writeNow(event: AuditEvent): void {
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

/** Events without bodies are encoded together when they are written: no answer waits for it. How long others are shows only then. */
function hasBody({ requestObject, responseObject }: AuditEvent): boolean {
  return requestObject !== undefined || responseObject !== undefined;
}

/** What an event without bodies takes: these are the texts that a client chooses. */
function aboutBytes({ requestURI, userAgent = '', responseStatus }: AuditEvent): number {
  // A refusal stands in the message and in its causes.
  return 512 + requestURI.length + userAgent.length + 2 * (responseStatus?.message?.length ?? 0);
}

function toLine(event: AuditEvent | string): string {
  return `${typeof event === 'string' ? event : encodeAuditEvent(event)}\n`;
}

/** Audit events that were made, and those that were lost. */
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

  /** The same options, with sinks whose events are counted. */
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
      get isFailing() {
        return sink.isFailing ?? false;
      },
    };
  }
}
