import { Fault, MAX_STREAM_ID } from '@pintle/http2';
import type { Http2Stream } from './http2-stream.ts';

/** So many are remembered. */
const MAX_CANCELLED = 1_000;

/** The streams of a connection: which are open, which never were, and for which of the others something may still come. */
export class StreamTable {
  readonly #open = new Map<number, Http2Stream>();
  /** We gave them up, which the server may not have heard of when it sent something. */
  readonly #cancelled = new Set<number>();
  /** Up to this one, it is no longer known which were given up. */
  #forgottenId = 0;
  #nextId = 1;

  get size(): number {
    return this.#open.size;
  }

  /** There are no numbers for more. */
  get isUsedUp(): boolean {
    return this.#nextId > MAX_STREAM_ID;
  }

  /** `make`: of the number that it gets. */
  open(make: (id: number) => Http2Stream): Http2Stream {
    const stream = make(this.#nextId);
    this.#nextId += 2;
    this.#open.set(stream.id, stream);
    return stream;
  }

  /** Undefined: it is over. Throws a `Fault` when there never was one. */
  find(id: number): Http2Stream | undefined {
    if (id >= this.#nextId || id % 2 === 0) throw new Fault('PROTOCOL_ERROR', 'a frame is of a stream nobody opened');
    return this.#open.get(id);
  }

  /** The same for what is part of a response. Throws also when that was complete. */
  findUnfinished(id: number): Http2Stream | undefined {
    const stream = this.find(id);
    if (stream === undefined && id > this.#forgottenId && !this.#cancelled.has(id))
      throw new Fault('STREAM_CLOSED', 'a response goes on after its end');
    return stream;
  }

  /** Nothing more may come for it. */
  finish({ id }: Http2Stream): void {
    this.#open.delete(id);
  }

  /** Something more may come, which nobody wants. */
  cancel({ id }: Http2Stream): void {
    this.#open.delete(id);
    this.#cancelled.add(id);
    if (this.#cancelled.size <= MAX_CANCELLED) return;
    const [oldest] = this.#cancelled as Iterable<number> as [number];
    this.#cancelled.delete(oldest);
    this.#forgottenId = Math.max(this.#forgottenId, oldest);
  }

  /** Those after `lastId` are over. */
  takeAfter(lastId: number): Http2Stream[] {
    const taken = [...this.#open.values()].filter(({ id }) => id > lastId);
    for (const stream of taken) this.finish(stream);
    return taken;
  }
}
