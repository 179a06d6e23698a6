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

/** Lines that were written at one time. Each ends with a line feed, except the last of a block that was cut. */
interface Block {
  /** Bytes of the log before this block. */
  readonly start: number;
  readonly atMs: number;
  readonly bytes: Buffer;
  readonly lines: number;
}

const LINE_FEED = 0x0a;
/** Size of the log; the oldest blocks beyond it are dropped. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Size that a block counts in addition to its bytes, which bounds the number of short blocks. */
const BLOCK_OVERHEAD_BYTES = 256;
/** Size of a block. Longer lines and writes are split. */
const MAX_BLOCK_BYTES = 64 * 1024;
/** Size up to which lines of the same time share a block. */
const SHARED_BLOCK_BYTES = 4 * 1024;

/** Output of a container. Holds the last few megabytes, and can be followed. */
export class ContainerLog {
  readonly #blocks = new BlockQueue();
  #heldBytes = 0;
  /** Chunks of the last line, which has not ended yet. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #hasEnded = false;
  #appended: Deferred<void> = deferred();

  write(chunk: Uint8Array, nowMs: number): void {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      this.#add(Buffer.concat([...this.#takePartial(), chunk.subarray(0, end)]), nowMs);
    }
    if (end < chunk.length) this.#keepPartial(chunk.subarray(end), nowMs);
    this.#wake();
  }

  /** Marks the end of the output. */
  end(nowMs: number): void {
    this.#add(Buffer.concat(this.#takePartial()), nowMs);
    this.#hasEnded = true;
    this.#wake();
  }

  /** Streams the log. Blocks that are dropped before they are read are left out. */
  async *read(options: LogQuery, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const { follow = false, tailLines, limitBytes = Number.POSITIVE_INFINITY, sinceMs = 0 } = options;
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    let orphans = limitBytes;
    let position = tailLines === undefined ? 0 : this.#blocks.startOfLast(tailLines);
    try {
      while (!signal.aborted) {
        const more = this.#appended.promise;
        const block = this.#blocks.at(position);
        if (block !== undefined) {
          const bytes = block.bytes.subarray(Math.max(0, position - block.start));
          position = endOf(block);
          if (block.atMs < sinceMs) continue;
          const written = (options.timestamps ? withTime(bytes, block.atMs) : bytes).subarray(0, orphans);
          orphans -= written.length;
          yield written;
          if (orphans <= 0) return;
        } else {
          if (!follow || this.#hasEnded) return;
          await more;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #keepPartial(rest: Uint8Array, nowMs: number): void {
    this.#partial.push(rest);
    this.#partialBytes += rest.length;
    if (this.#partialBytes > MAX_BLOCK_BYTES) this.#add(Buffer.concat(this.#takePartial()), nowMs);
  }

  #takePartial(): Uint8Array[] {
    const partial = this.#partial;
    this.#partial = [];
    this.#partialBytes = 0;
    return partial;
  }

  #add(bytes: Buffer, atMs: number): void {
    for (let rest = bytes; rest.length > 0; ) {
      const end = rest.length <= MAX_BLOCK_BYTES ? rest.length : cutOf(rest);
      this.#addBlock(rest.subarray(0, end), atMs);
      rest = rest.subarray(end);
    }
    while (this.#heldBytes > MAX_BYTES) this.#heldBytes -= weightOf(this.#blocks.shift());
  }

  #addBlock(bytes: Buffer, atMs: number): void {
    const last = this.#blocks.last;
    const isShared =
      last?.atMs === atMs && last.bytes.at(-1) === LINE_FEED && last.bytes.length + bytes.length <= SHARED_BLOCK_BYTES;
    const lines = linesIn(bytes);
    const block = isShared
      ? { ...last, bytes: Buffer.concat([last.bytes, bytes]), lines: last.lines + lines }
      : { start: last === undefined ? 0 : endOf(last), atMs, bytes, lines };
    if (isShared) this.#heldBytes -= weightOf(this.#blocks.pop());
    this.#blocks.push(block);
    this.#heldBytes += weightOf(block);
  }

  #wake(): void {
    this.#appended.resolve();
    this.#appended = deferred();
  }
}

/** Blocks, oldest first. All operations but searches take constant time. */
class BlockQueue {
  #items: Block[] = [];
  /** Index of the first block; earlier ones were taken. */
  #head = 0;

  get last(): Block | undefined {
    return this.#items.at(-1);
  }

  push(block: Block): void {
    this.#items.push(block);
  }

  pop(): Block {
    return this.#items.pop()!;
  }

  /** Takes the oldest block. The newest stays, because the next begins where it ends. */
  shift(): Block {
    const block = this.#items[this.#head++]!;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return block;
  }

  /**
   * Returns the block with the byte at this position; the oldest when that was dropped, `undefined` when it is not
   * written yet.
   */
  at(position: number): Block | undefined {
    let low = this.#head;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (endOf(this.#items[middle]!) <= position) low = middle + 1;
      else high = middle;
    }
    return this.#items[low];
  }

  /** Returns the position where the last `lines` lines begin. */
  startOfLast(lines: number): number {
    const { last } = this;
    if (last === undefined) return 0;
    let missing = lines;
    for (let index = this.#items.length - 1; index >= this.#head && missing > 0; index--) {
      const block = this.#items[index]!;
      if (block.lines >= missing) return block.start + startOfLine(block, block.lines - missing);
      missing -= block.lines;
    }
    return missing > 0 ? 0 : endOf(last);
  }
}

function endOf({ start, bytes }: Block): number {
  return start + bytes.length;
}

function weightOf({ bytes }: Block): number {
  return bytes.length + BLOCK_OVERHEAD_BYTES;
}

/** Returns the end of the last line that fits into a block, or the block size within a longer line. */
function cutOf(bytes: Buffer): number {
  return bytes.lastIndexOf(LINE_FEED, MAX_BLOCK_BYTES - 1) + 1 || MAX_BLOCK_BYTES;
}

function linesIn(bytes: Buffer): number {
  let lines = bytes.at(-1) === LINE_FEED ? 0 : 1;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}

/** Returns the offset of the line that has `before` lines before it in the block. */
function startOfLine({ bytes }: Block, before: number): number {
  let start = 0;
  for (let line = 0; line < before; line++) start = bytes.indexOf(LINE_FEED, start) + 1;
  return start;
}

function withTime(bytes: Buffer, atMs: number): Buffer {
  const time = Buffer.from(`${formatMicroTime(atMs * 1_000)} `);
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length;
    parts.push(time, bytes.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}
