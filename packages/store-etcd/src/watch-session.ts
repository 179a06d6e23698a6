import type { ServiceError } from '@grpc/grpc-js';
import { type Clock, deferred, type Timer } from '@pintle/async';
import type { Revision } from '@pintle/store';
import type { Endpoint, WatchStream } from './rpc/endpoint.ts';
import { EVENT } from './rpc/messages.ts';
import type { KeyValue, WatchResponse } from './rpc/methods.ts';
import { RpcError } from './rpc/rpc-error.ts';

/** A change of one key, as etcd reports it. */
export interface EtcdEvent {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
}

export interface WatchSessionOptions {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  /** Revision up to which all events are known. */
  readonly after: Revision;
  /** First revision that the member still has events of. Default: `after`. */
  readonly oldest?: number | undefined;
  /** Another key that is watched too, from now on. */
  readonly extraKey: Uint8Array;
  /** Called with all events of one transaction in the range, in order. */
  readonly onTransaction: (revision: Revision, events: readonly EtcdEvent[]) => void;
  /** Called when all events up to `revision` were reported. */
  readonly onProgress: (revision: Revision) => void;
  readonly onExtraKey: (kv: KeyValue) => void;
}

/** End of a session. `compacted`: the next events are no longer kept. */
export type SessionEnd =
  | { readonly type: 'lost'; readonly error: RpcError | undefined }
  | { readonly type: 'compacted'; readonly oldest: number };

const RANGE_ID = 1;
const EXTRA_KEY_ID = 2;
/** Time without messages after which progress is requested … */
const QUIET_MS = 1_000;
/** … and after which the stream is given up. */
const STALLED_MS = 5_000;

/** One watch stream on one member, until it ends or is silent. */
export class WatchSession {
  readonly #options: WatchSessionOptions;
  readonly #stream: WatchStream;
  readonly #ended: Promise<SessionEnd>;
  #end!: (end: SessionEnd) => void;
  #lastMessageMs: number;
  #timer: Timer | undefined;
  #isOver = false;
  #isCreated = false;
  readonly #created = deferred();
  #after: Revision;

  constructor(options: WatchSessionOptions) {
    this.#options = options;
    this.#after = options.after;
    this.#lastMessageMs = options.clock.monotonic();
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#stream = options.endpoint.watch();
    this.#stream.on('data', (answer: WatchResponse) => this.#onMessage(answer));
    this.#stream.on('error', (error: ServiceError) =>
      this.#finish({ type: 'lost', error: RpcError.of(error, this.address) }),
    );
    this.#stream.on('end', () => this.#finish({ type: 'lost', error: undefined }));
    const { key, rangeEnd, extraKey, after, oldest = 0 } = options;
    // Not from the next revision: a member reports no progress to a watch that starts in the future, so it would look stalled
    // until the first write. Known events are skipped.
    const startRevision = Math.max(after, oldest);
    this.#stream.write({ create: { key, rangeEnd, startRevision, watchId: RANGE_ID } });
    this.#stream.write({ create: { key: extraKey, startRevision, watchId: EXTRA_KEY_ID } });
    this.#arm();
  }

  get address(): string {
    return this.#options.endpoint.address;
  }

  /** True when the member has started to report events of the range. */
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

  /** Requests progress. The member answers when all events up to that revision were reported. */
  requestProgress(): void {
    if (!this.#isOver) this.#stream.write({ progress: {} });
  }

  close(): void {
    this.#finish({ type: 'lost', error: undefined });
  }

  #onMessage(answer: WatchResponse): void {
    if (this.#isOver) return;
    this.#lastMessageMs = this.#options.clock.monotonic();
    if (answer.canceled) this.#finish(endOf(answer));
    else if (answer.created) this.#onCreated(answer);
    else if (answer.events.length === 0) this.#progress(answer.header.revision);
    else if (answer.watchId === EXTRA_KEY_ID) for (const { kv } of answer.events) this.#options.onExtraKey(kv);
    else this.#deliver(answer);
  }

  #onCreated({ watchId }: WatchResponse): void {
    if (watchId !== RANGE_ID) return;
    this.#isCreated = true;
    this.#created.resolve();
  }

  /** Skips events that are reported twice, for example after a change of members. */
  #deliver({ events }: WatchResponse): void {
    for (let from = 0; from < events.length; ) {
      const revision = events[from]!.kv.modRevision;
      let to = from + 1;
      while (to < events.length && events[to]!.kv.modRevision === revision) to++;
      if (revision > this.#after) {
        const changes = events
          .slice(from, to)
          .map(({ type, kv }): EtcdEvent => ({ type: type === EVENT.delete ? 'delete' : 'put', kv }));
        this.#after = revision;
        this.#options.onTransaction(revision, changes);
      }
      from = to;
    }
  }

  /** Reports the same revision again: it shows that the member still answers. */
  #progress(revision: Revision): void {
    if (revision < this.#after) return;
    this.#after = revision;
    this.#options.onProgress(revision);
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(QUIET_MS, () => {
      const silentMs = this.#options.clock.monotonic() - this.#lastMessageMs;
      if (silentMs >= STALLED_MS) this.#onStalled();
      else {
        if (silentMs >= QUIET_MS) this.requestProgress();
        this.#arm();
      }
    });
  }

  #onStalled(): void {
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

function endOf({ compactRevision }: WatchResponse): SessionEnd {
  return compactRevision > 0 ? { type: 'compacted', oldest: compactRevision } : { type: 'lost', error: undefined };
}
