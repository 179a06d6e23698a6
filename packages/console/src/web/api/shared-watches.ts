import type { SharedWatch, WatchChange, WatchFrame } from '../../protocol.ts';
import { FrameReader } from './frames.ts';

/** An answer of the API in a shared stream. */
export interface SharedAnswer {
  readonly status: number;
  readonly body: ReadableStream<Uint8Array>;
}

export type Asked = Omit<SharedWatch, 'id'>;

interface Member {
  readonly answer: (answer: SharedAnswer) => void;
  readonly fail: (error: unknown) => void;
  /** Takes the listener off the signal. */
  readonly leave: () => void;
  body: ReadableStreamDefaultController<Uint8Array> | undefined;
}

/** Opens and changes a shared stream. Both reject where the server refuses. */
export interface SharedLine {
  open(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  change(stream: string, change: WatchChange): Promise<unknown>;
}

/** Of each sort in one request, which the server limits. */
const MAX_CHANGES = 500;

/** Watches of a page that share one stream. It is opened with the first, and closed when the last has gone. */
export class SharedWatches {
  readonly #line: SharedLine;
  readonly #members = new Map<number, Member>();
  #running: AbortController | undefined;
  #stream: string | undefined;
  #next = 1;
  #opening: SharedWatch[] = [];
  #closing: number[] = [];

  constructor(line: SharedLine) {
    this.#line = line;
  }

  /** Opens a watch. Rejects when the stream breaks before the API has answered. */
  watch(asked: Asked, signal: AbortSignal): Promise<SharedAnswer> {
    signal.throwIfAborted();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#drop(id, signal.reason);
      const leave = (): void => signal.removeEventListener('abort', onAbort);
      this.#members.set(id, { answer: resolve, fail: reject, body: undefined, leave });
      signal.addEventListener('abort', onAbort);
      this.#opening.push({ id, ...asked });
      if (this.#running === undefined) void this.#run();
      this.#sendSoon();
    });
  }

  async #run(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    let problem: unknown = new Error('The stream ended');
    try {
      const reader = new FrameReader();
      for await (const chunk of piecesOf(await this.#line.open(running.signal))) {
        for (const { frame, bytes } of reader.read(chunk)) this.#take(frame, bytes);
      }
    } catch (error) {
      problem = error;
    }
    // One that was closed has no members, and perhaps a successor.
    if (this.#running === running) this.#break(problem);
  }

  #take(frame: WatchFrame, bytes: Uint8Array | undefined): void {
    if ('stream' in frame) {
      this.#stream = frame.stream;
      this.#sendSoon();
      return;
    }
    const member = this.#members.get(frame.id);
    if (member === undefined) return;
    if (bytes !== undefined) member.body?.enqueue(bytes);
    else if ('status' in frame) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          member.body = controller;
        },
        cancel: () => {
          member.body = { enqueue: () => {}, close: () => {}, error: () => {}, desiredSize: null };
          this.#drop(frame.id, undefined);
        },
      });
      member.answer({ status: frame.status, body });
    } else if ('isOver' in frame) this.#end(frame.id);
  }

  /** Ends a watch that its caller does not want any more. */
  #drop(id: number, reason: unknown): void {
    if (!this.#members.has(id)) return;
    this.#closing.push(id);
    this.#sendSoon();
    this.#end(id, reason);
  }

  /** Changes of one turn go together. */
  #sendSoon(): void {
    queueMicrotask(() => {
      const stream = this.#stream;
      if (stream === undefined || this.#opening.length + this.#closing.length === 0) return;
      const change = { open: this.#opening.splice(0, MAX_CHANGES), close: this.#closing.splice(0, MAX_CHANGES) };
      this.#line.change(stream, change).catch((cause: unknown) => {
        // Whatever the reason, it is the stream's: another one may do for its watches.
        if (this.#stream === stream) this.#break(new Error('The stream cannot be changed', { cause }));
      });
      this.#sendSoon();
    });
  }

  #end(id: number, error?: unknown): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    finish(member, error);
    if (this.#members.size === 0) this.#break(new Error('Nothing is watched'));
  }

  #break(error: unknown): void {
    const members = [...this.#members.values()];
    this.#members.clear();
    this.#opening = [];
    this.#closing = [];
    this.#stream = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.abort(error);
    for (const member of members) finish(member, error);
  }
}

function finish({ body, fail, leave }: Member, error: unknown): void {
  leave();
  if (body === undefined) fail(error ?? new Error('The watch ended'));
  else if (error === undefined) body.close();
  else body.error(error);
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
