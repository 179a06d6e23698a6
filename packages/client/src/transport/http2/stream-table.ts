import { Http2Error, MAX_STREAM_ID } from '@pintle/http2';
import type { Http2Stream } from './http2-stream.ts';

/** Cancelled streams that are remembered. */
const MAX_CANCELLED = 1_000;

/** Streams of a connection: knows which are open, which were never opened, and which may still receive frames. */
export class StreamTable {
  readonly #open = new Map<number, Http2Stream>();
  /** Reset by us; the server may have sent frames before it got the reset. */
  readonly #cancelled = new Set<number>();
  /** Up to this id, it is no longer known which streams were cancelled. */
  #forgottenId = 0;
  #nextId = 1;

  get size(): number {
    return this.#open.size;
  }

  /** True when no stream ids are left. */
  get isUsedUp(): boolean {
    return this.#nextId > MAX_STREAM_ID;
  }

  /** Opens a stream; `make` gets its id. */
  open(make: (id: number) => Http2Stream): Http2Stream {
    const stream = make(this.#nextId);
    this.#nextId += 2;
    this.#open.set(stream.id, stream);
    return stream;
  }

  /** Returns `undefined` for a stream that has ended. Throws an `Http2Error` for one that was never opened. */
  find(id: number): Http2Stream | undefined {
    if (id >= this.#nextId || id % 2 === 0)
      throw new Http2Error('PROTOCOL_ERROR', `the server sent a frame for stream ${id}, which was never opened`);
    return this.#open.get(id);
  }

  /** Returns the stream for a part of its response. Throws also when the response was complete. */
  findUnfinished(id: number): Http2Stream | undefined {
    const stream = this.find(id);
    if (stream === undefined && id > this.#forgottenId && !this.#cancelled.has(id))
      throw new Http2Error('STREAM_CLOSED', 'the server sent data after the end of the response');
    return stream;
  }

  /** Removes a stream that receives no more frames. */
  finish({ id }: Http2Stream): void {
    this.#open.delete(id);
  }

  /** Removes a stream that may still receive frames, which are dropped. */
  cancel({ id }: Http2Stream): void {
    this.#open.delete(id);
    this.#cancelled.add(id);
    if (this.#cancelled.size <= MAX_CANCELLED) return;
    const [oldest] = this.#cancelled as Iterable<number> as [number];
    this.#cancelled.delete(oldest);
    this.#forgottenId = Math.max(this.#forgottenId, oldest);
  }

  /** Removes and returns the streams after `lastId`. */
  takeAfter(lastId: number): Http2Stream[] {
    const taken = [...this.#open.values()].filter(({ id }) => id > lastId);
    for (const stream of taken) this.finish(stream);
    return taken;
  }
}
