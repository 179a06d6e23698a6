import type { Deferred } from '@pintle/async';
import { deferred } from '@pintle/async';
import { formatMicroTime } from '@pintle/machinery/time';

export interface LogQuery {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceMs?: number;
}

interface Line {
  readonly atMs: number;
  readonly bytes: Buffer;
}

const LINE_FEED = 0x0a;
/** Of older lines the oldest are forgotten. */
const MAX_BYTES = 4 * 1024 * 1024;
/** What is longer counts as several lines. */
const MAX_LINE_BYTES = 64 * 1024;

/** What a container has written, line by line, and what it goes on to write. */
export class ContainerLog {
  #lines: Line[] = [];
  #bytes = 0;
  /** How many lines were forgotten. */
  #forgotten = 0;
  #partial: Buffer = Buffer.alloc(0);
  #isOver = false;
  #more: Deferred<void> = deferred();

  write(chunk: Uint8Array, nowMs: number): void {
    let rest = Buffer.concat([this.#partial, chunk]);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      this.#add(rest.subarray(0, end + 1), nowMs);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) {
      this.#add(rest, nowMs);
      rest = Buffer.alloc(0);
    }
    this.#partial = rest;
    this.#wake();
  }

  /** Nothing more will be written. */
  end(nowMs: number): void {
    if (this.#partial.length > 0) this.#add(this.#partial, nowMs);
    this.#partial = Buffer.alloc(0);
    this.#isOver = true;
    this.#wake();
  }

  async *read(options: LogQuery, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const { follow = false, tailLines, limitBytes = Number.POSITIVE_INFINITY, sinceMs = 0 } = options;
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    let left = limitBytes;
    let next = tailLines === undefined ? 0 : Math.max(0, this.#forgotten + this.#lines.length - tailLines);
    try {
      while (!signal.aborted) {
        const more = this.#more.promise;
        for (const line of this.#lines.slice(Math.max(0, next - this.#forgotten))) {
          if (line.atMs < sinceMs) continue;
          const bytes = written(line, options).subarray(0, left);
          left -= bytes.length;
          yield bytes;
          if (left <= 0) return;
        }
        next = this.#forgotten + this.#lines.length;
        if (!follow || this.#isOver) return;
        await more;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #add(bytes: Buffer, atMs: number): void {
    this.#lines.push({ atMs, bytes });
    this.#bytes += bytes.length;
    while (this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#lines.shift()!.bytes.length;
      this.#forgotten++;
    }
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = deferred();
  }
}

function written({ atMs, bytes }: Line, { timestamps }: LogQuery): Buffer {
  return timestamps ? Buffer.concat([Buffer.from(`${formatMicroTime(atMs * 1_000)} `), bytes]) : bytes;
}
