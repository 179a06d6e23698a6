import type { ServiceError } from '@grpc/grpc-js';
import { type Clock, deferred, type Timer } from '@pintle/async';
import type { Revision } from '@pintle/store';
import type { Endpoint, WatchStream } from './rpc/endpoint.ts';
import { EVENT } from './rpc/messages.ts';
import type { KeyValue, WatchAnswer } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';

/** A change of one key, as etcd tells it. */
export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
}

export interface WatchSessionOptions {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  /** What came up to here is known. */
  readonly after: Revision;
  /** Another key that is watched beside, from now on. */
  readonly beside: Uint8Array;
  /** All events of one transaction in the range, in order. */
  readonly onTransaction: (revision: Revision, events: readonly EtcdEvent[]) => void;
  /** Everything up to `revision` was told. */
  readonly onProgress: (revision: Revision) => void;
  readonly onBeside: (kv: KeyValue) => void;
}

/** How a session ended. `compacted`: what comes next is no longer kept. */
export type SessionEnd =
  | { readonly type: 'lost'; readonly error: RpcError | undefined }
  | { readonly type: 'compacted'; readonly oldest: number };

const RANGE_ID = 1;
const BESIDE_ID = 2;
/** A stream that was silent for so long is asked for its progress … */
const QUIET_MS = 1_000;
/** … and given up when it has not answered after so long. */
const STALLED_MS = 5_000;

/** One stream of watches on one member, until it ends or falls silent. */
export class WatchSession {
  readonly #options: WatchSessionOptions;
  readonly #stream: WatchStream;
  readonly #ended: Promise<SessionEnd>;
  #end!: (end: SessionEnd) => void;
  #heardMs: number;
  #timer: Timer | undefined;
  #isOver = false;
  #isCreated = false;
  readonly #created = deferred();
  #after: Revision;

  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#heardMs = options.clock.monotonic();
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#stream = options.endpoint.watch();
    this.#stream.on('data', (answer: WatchAnswer) => this.#take(answer));
    this.#stream.on('error', (error: ServiceError) =>
      this.#finish({ type: 'lost', error: RpcError.of(error, this.address) }),
    );
    this.#stream.on('end', () => this.#finish({ type: 'lost', error: undefined }));
    const { key, rangeEnd, beside } = options;
    this.#stream.write({ create: { key, rangeEnd, startRevision: options.after + 1, watchId: RANGE_ID } });
    this.#stream.write({ create: { key: beside, watchId: BESIDE_ID } });
    this.#arm();
  }

  get address(): string {
    return this.#options.endpoint.address;
  }

  /** The member has begun to tell what happens in the range. */
  get isCreated(): boolean {
    return this.#isCreated;
  }

  /** Resolves when it has, or the session has ended. */
  get created(): Promise<void> {
    return this.#created.promise;
  }

  get ended(): Promise<SessionEnd> {
    return this.#ended;
  }

  /** Asks the member up to which revision everything was told. It answers once that is so. */
  requestProgress(): void {
    if (!this.#isOver) this.#stream.write({ progress: {} });
  }

  close(): void {
    this.#finish({ type: 'lost', error: undefined });
  }

  #take(answer: WatchAnswer): void {
    if (this.#isOver) return;
    this.#heardMs = this.#options.clock.monotonic();
    if (answer.canceled) this.#finish(endOf(answer));
    else if (answer.created) this.#begin(answer);
    else if (answer.events.length === 0) this.#progress(answer.header!.revision as Revision);
    else if (answer.watchId === BESIDE_ID) for (const { kv } of answer.events) this.#options.onBeside(kv!);
    else this.#tell(answer);
  }

  #begin({ watchId }: WatchAnswer): void {
    if (watchId !== RANGE_ID) return;
    this.#isCreated = true;
    this.#created.resolve();
  }

  /** What is told twice, after a change of members for example, is passed over. */
  #tell({ events }: WatchAnswer): void {
    for (let from = 0; from < events.length; ) {
      const revision = events[from]!.kv!.modRevision as Revision;
      let to = from + 1;
      while (to < events.length && events[to]!.kv!.modRevision === revision) to++;
      if (revision > this.#after) {
        const changes = events
          .slice(from, to)
          .map(({ type, kv }): EtcdEvent => ({ type: type === EVENT.delete ? 'delete' : 'put', kv: kv! }));
        this.#after = revision;
        this.#options.onTransaction(revision, changes);
      }
      from = to;
    }
  }

  #progress(revision: Revision): void {
    if (revision <= this.#after) return;
    this.#after = revision;
    this.#options.onProgress(revision);
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(QUIET_MS, () => {
      const silentMs = this.#options.clock.monotonic() - this.#heardMs;
      if (silentMs >= STALLED_MS) this.#stall();
      else {
        if (silentMs >= QUIET_MS) this.requestProgress();
        this.#arm();
      }
    });
  }

  #stall(): void {
    this.#options.endpoint.reconnect();
    this.#finish({ type: 'lost', error: undefined });
  }

  #finish(end: SessionEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#timer?.cancel();
    this.#stream.cancel();
    this.#created.resolve();
    this.#end(end);
  }
}

function endOf({ compactRevision }: WatchAnswer): SessionEnd {
  return compactRevision > 0 ? { type: 'compacted', oldest: compactRevision } : { type: 'lost', error: undefined };
}
