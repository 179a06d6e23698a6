import type { FileHandle } from 'node:fs/promises';
import { open, rename } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { AuditEvent, AuditSink } from './audit-event.ts';
import { encodeAuditEvent } from './encode-event.ts';

export interface FileSinkOptions {
  /** A file that grows beyond this is put aside. Default 100 MiB. */
  readonly maxBytes?: number;
  /** How many files put aside are kept, as `path.1` (the newest) and up. Default 3. */
  readonly maxBackups?: number;
  /** How many bytes may wait for the disk; events beyond that are dropped and counted. Default 16 MiB. */
  readonly maxQueuedBytes?: number;
  /** Told once when writing starts to fail, and again after it has recovered and fails anew. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

const DEFAULTS = { maxBytes: 100 * 1024 * 1024, maxBackups: 3, maxQueuedBytes: 16 * 1024 * 1024, clock: realClock };
/** Events of so much time are written at once: a file takes one long write as fast as one short. */
const GATHER_MS = 10;

/** Audit events as lines of JSON in a file that is for its owner alone. */
export class FileSink implements AuditSink, AsyncDisposable {
  readonly #path: string;
  readonly #options: FileSinkOptions & typeof DEFAULTS;
  #file: FileHandle;
  #fileBytes: number;
  #queue: (AuditEvent | string)[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #isClosed = false;
  #dropped = 0;

  private constructor(path: string, file: FileHandle, fileBytes: number, options: FileSinkOptions) {
    this.#path = path;
    this.#file = file;
    this.#fileBytes = fileBytes;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Appends to what the file holds already. */
  static async open(path: string, options: FileSinkOptions = {}): Promise<FileSink> {
    const file = await open(path, 'a', 0o600);
    return new FileSink(path, file, (await file.stat()).size, options);
  }

  /** Events that were lost because the disk did not keep up or failed. */
  get dropped(): number {
    return this.#dropped;
  }

  write(event: AuditEvent): void {
    const line = hasBody(event) ? encodeAuditEvent(event) : event;
    const bytes = typeof line === 'string' ? line.length : aboutBytes(line);
    if (this.#isClosed || this.#queuedBytes + bytes > this.#options.maxQueuedBytes) {
      this.#dropped++;
      return;
    }
    this.#queue.push(line);
    this.#queuedBytes += bytes;
    this.#writing ??= this.#drain();
  }

  /** Resolves once everything written before is in the file. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#file.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      if (!this.#isClosed) await this.#options.clock.sleep(GATHER_MS);
      const lines = this.#queue;
      this.#queue = [];
      this.#queuedBytes = 0;
      try {
        await this.#append(Buffer.from(lines.map(toLine).join('')));
        this.#isFailing = false;
      } catch (error) {
        this.#dropped += lines.length;
        if (!this.#isFailing) this.#options.onError?.(error);
        this.#isFailing = true;
      }
    }
    this.#writing = undefined;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    if (this.#fileBytes > 0 && this.#fileBytes + bytes.length > this.#options.maxBytes) await this.#rotate();
    await this.#file.appendFile(bytes);
    this.#fileBytes += bytes.length;
  }

  async #rotate(): Promise<void> {
    for (let i = this.#options.maxBackups; i > 0; i--) {
      const from = i === 1 ? this.#path : `${this.#path}.${i - 1}`;
      await rename(from, `${this.#path}.${i}`).catch(ignoreMissing);
    }
    const old = this.#file;
    // Without backups the file begins anew in place.
    this.#file = await open(this.#path, this.#options.maxBackups > 0 ? 'a' : 'w', 0o600);
    this.#fileBytes = 0;
    await old.close();
  }
}

/** Events without bodies are encoded together when they are written: no answer waits for it. How long others are shows only then. */
function hasBody({ requestObject, responseObject }: AuditEvent): boolean {
  return requestObject !== undefined || responseObject !== undefined;
}

/** What an event without bodies takes: these are the texts that a client chooses. */
function aboutBytes({ requestURI, userAgent = '' }: AuditEvent): number {
  return 512 + requestURI.length + userAgent.length;
}

function toLine(event: AuditEvent | string): string {
  return `${typeof event === 'string' ? event : encodeAuditEvent(event)}\n`;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
