import type { FrameHead } from './frame.ts';
import { Fault, FLAG, FRAME, HEAD_BYTES } from './frame.ts';
import { HeaderDecoder } from './header-decoder.ts';
import type { Field } from './header-table.ts';
import { FIELD_BYTES } from './header-table.ts';

/** Headers of a stream, as they arrived. */
export interface HeaderBlock {
  readonly streamId: number;
  /** Undefined: they are too much to be read. */
  readonly fields: readonly Field[] | undefined;
  /** Nothing follows on the stream. */
  readonly isLast: boolean;
}

/** How much the headers of one message may say. What is more is not read: the message has no fields then. */
export interface HeaderLimits {
  /** Of names and values together. */
  readonly maxBytes: number;
  readonly maxFields: number;
}

export const HEADER_LIMITS: HeaderLimits = { maxBytes: 64 * 1024, maxFields: 4_000 };

/** The limits as HTTP/2 counts, for SETTINGS_MAX_HEADER_LIST_SIZE. */
export function listBytesOf({ maxBytes, maxFields }: HeaderLimits): number {
  return maxBytes + maxFields * FIELD_BYTES;
}

/** A coded field takes about as much more than its texts: where to find the name, and two lengths. */
const CODED_FIELD_BYTES = 4;

/** Puts header blocks together from their frames, which nothing may come between. */
export class HeaderBlocks {
  readonly #maxBytes: number;
  readonly #decoder: HeaderDecoder;
  #open: { readonly streamId: number; readonly isLast: boolean; readonly parts: Buffer[]; bytes: number } | undefined;

  constructor(limits: HeaderLimits = HEADER_LIMITS) {
    this.#maxBytes = limits.maxBytes + limits.maxFields * CODED_FIELD_BYTES;
    this.#decoder = new HeaderDecoder(limits);
  }

  /** Looks at every frame that comes. Throws a `Fault` when it comes at the wrong time. */
  check({ type, streamId }: FrameHead): void {
    const isExpected = type === FRAME.continuation && streamId === this.#open?.streamId;
    if ((this.#open !== undefined || type === FRAME.continuation) && !isExpected)
      throw new Fault('PROTOCOL_ERROR', 'something came between headers');
  }

  /** Takes a frame of headers; gives them when that was the last. The payload is lent. */
  take({ type, flags, streamId }: FrameHead, payload: Buffer): HeaderBlock | undefined {
    const isLast = (flags & FLAG.endStream) !== 0;
    const part = type === FRAME.headers ? withoutPadding(flags, payload) : payload;
    const isWhole = (flags & FLAG.endHeaders) !== 0;
    if (isWhole && this.#open === undefined) return { streamId, isLast, fields: this.#decoder.decode(part) };
    this.#open ??= { streamId, isLast, parts: [], bytes: 0 };
    this.#hold(this.#open, part);
    return isWhole ? this.#finish(this.#open) : undefined;
  }

  /** Parts that say nothing take room as well. */
  #hold(open: { readonly parts: Buffer[]; bytes: number }, part: Buffer): void {
    open.bytes += HEAD_BYTES + part.length;
    if (open.bytes > this.#maxBytes) throw new Fault('ENHANCE_YOUR_CALM', 'the headers do not end');
    open.parts.push(Buffer.from(part));
  }

  #finish({ streamId, isLast, parts }: { streamId: number; isLast: boolean; parts: Buffer[] }): HeaderBlock {
    this.#open = undefined;
    return { streamId, isLast, fields: this.#decoder.decode(Buffer.concat(parts)) };
  }
}

const PRIORITY_BYTES = 5;

function withoutPadding(flags: number, payload: Buffer): Buffer {
  const isPadded = (flags & FLAG.padded) !== 0;
  const start = (isPadded ? 1 : 0) + ((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES);
  if (start > payload.length) throw new Fault('FRAME_SIZE_ERROR', 'a frame is shorter than it says');
  const end = payload.length - (isPadded ? payload[0]! : 0);
  if (end < start) throw new Fault('PROTOCOL_ERROR', 'the padding of a frame is longer than the frame');
  return payload.subarray(start, end);
}
