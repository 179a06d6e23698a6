import { ApiError, apiText, openSharedWatch, openWatch, parseJson } from '../api/http.ts';
import type { ObjectMeta, WatchEvent } from '../api/objects.ts';
import { listMetadataIn, record, watchEventIn, writtenMs } from '../api/objects.ts';
import { pause } from '../state/pause.ts';
import { observeRevision } from '../state/timeline.ts';
import { PageSize } from './page-size.ts';
import { restSignal, seen } from './rest.ts';
import { linesOf } from './watch-lines.ts';

/** An object as a collection holds it. */
export interface Item {
  /** `namespace/name`: the order of a collection. */
  readonly key: string;
  readonly revision: number;
  /** When a change was seen; 0 for what was there from the start. */
  readonly changedMs: number;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly priority: number;
}

/** Reads responses of the server into items. */
export interface Reader<T extends Item> {
  readonly accept: string;
  /** The same for single objects of a watch, where it is another. */
  readonly watchAccept?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The items in a list, or in the object of an event. */
  read(body: unknown, changedMs: number): readonly T[];
  /** The columns, where the answer tells them. */
  columns?(body: unknown): readonly Column[] | undefined;
}

/**
 *     loading ──► live ◄──► lost        the stream broke: resumed where it stopped, or listed again after 410
 *        │
 *        ├──► then                      a moment of the past: nothing follows
 *        └──► denied, failed
 */
export type Phase = 'loading' | 'live' | 'lost' | 'then' | 'denied' | 'failed';

export interface Snapshot<T extends Item> {
  readonly phase: Phase;
  /** Ordered by key. */
  readonly items: readonly T[];
  readonly columns: readonly Column[];
  /** Revision of the items. */
  readonly revision: number;
  /** When the server last said anything. */
  readonly heardMs: number;
  /** False while pages are still coming. */
  readonly isComplete: boolean;
  readonly error: ApiError | undefined;
  /** Changes of items since the snapshot before, by key; `undefined` where all of them were read anew. */
  readonly changes: ReadonlyMap<string, Change<T>> | undefined;
}

/** An item before and after; `undefined` where it was, or is, not there. */
export interface Change<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export interface CollectionOptions<T extends Item> {
  readonly path: string;
  readonly reader: Reader<T>;
  /** Show this revision, and follow nothing. */
  readonly at?: number | undefined;
  readonly fieldSelector?: string | undefined;
  readonly canWatch?: boolean;
  /** Watch in a stream with others: for views of many collections. */
  readonly isShared?: boolean;
}

const pageSize = new PageSize();
const WATCH_SECONDS = 290;
const RETRY_MS = [300, 1000, 2000, 5000];

/** A list that stays true: list, then watch, outside React. Changes are told once a frame. */
export class Collection<T extends Item> {
  readonly #options: CollectionOptions<T>;
  readonly #listeners = new Set<() => void>();
  #items: T[] = [];
  #snapshot: Snapshot<T>;
  #phase: Phase = 'loading';
  #columns: readonly Column[] = [];
  #revision = 0;
  #heardMs = 0;
  #isComplete = false;
  /** `undefined` when everything may have. */
  #changes: Map<string, Change<T>> | undefined = new Map();
  #error: ApiError | undefined;
  #isDirty = false;
  #running: AbortController | undefined;
  #idle: number | undefined;

  constructor(options: CollectionOptions<T>) {
    this.#options = options;
    this.#snapshot = this.#take();
  }

  /** Starts with the first listener, and stops some seconds after the last has left. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    window.clearTimeout(this.#idle);
    if (this.#running === undefined) {
      this.#running = new AbortController();
      void this.#run(this.#running.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#idle = window.setTimeout(() => this.#stop(), 4000);
    };
  };

  readonly snapshot = (): Snapshot<T> => this.#snapshot;

  get isStopped(): boolean {
    return this.#running === undefined;
  }

  #stop(): void {
    this.#running?.abort(new DOMException('No view shows the collection', 'AbortError'));
    this.#running = undefined;
    if (this.#phase === 'live') this.#phase = 'lost';
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        if (this.#revision === 0) await this.#list(signal);
        if (this.#options.at !== undefined) return this.#become('then');
        if (this.#options.canWatch === false) return this.#become('live');
        await this.#watch(AbortSignal.any([signal, restSignal()]));
        failures = 0;
        await seen(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (restSignal().aborted) {
          await seen(signal);
          continue;
        }
        const problem = error instanceof ApiError ? error : new ApiError(0, String(error));
        this.#error = problem;
        if (problem.status === 410 && this.#options.at === undefined) this.#revision = 0;
        else if (problem.status === 403) return this.#become('denied');
        else if (problem.status >= 400 && problem.status !== 429 && problem.status < 500) return this.#become('failed');
        else this.#become('lost');
        await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!, signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { path, reader, at, fieldSelector } = this.#options;
    const found: T[] = [];
    let token: string | undefined;
    do {
      const first = token === undefined && at !== undefined;
      const kept = `${reader.accept} ${path}`;
      const text = await apiText(path, {
        accept: reader.accept,
        signal,
        query: {
          ...reader.query,
          fieldSelector,
          limit: `${pageSize.limitOf(kept)}`,
          continue: token,
          ...(first && { resourceVersion: `${at}`, resourceVersionMatch: 'Exact' }),
        },
      });
      const body = parseJson(text);
      const metadata = listMetadataIn(body);
      this.#columns = reader.columns?.(body) ?? this.#columns;
      const items = reader.read(body, 0);
      pageSize.note(kept, items.length, text.length);
      for (const item of items) found.push(item);
      token = metadata.continue || undefined;
      this.#heardMs = Date.now();
      this.#isComplete = token === undefined;
      this.#revision = this.#isComplete ? Number(metadata.resourceVersion) : 0;
      // A list that was there stays until the new one is whole.
      if (this.#isComplete || this.#phase === 'loading') this.#replace(found);
    } while (token !== undefined && !signal.aborted);
    this.#error = undefined;
    observeRevision(this.#revision);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { path, reader, fieldSelector, isShared } = this.#options;
    const stream = await (isShared ? openSharedWatch : openWatch)(path, {
      accept: reader.watchAccept ?? reader.accept,
      signal,
      query: {
        ...reader.query,
        fieldSelector,
        resourceVersion: `${this.#revision}`,
        allowWatchBookmarks: 'true',
        timeoutSeconds: `${WATCH_SECONDS}`,
      },
    });
    this.#heardMs = Date.now();
    this.#error = undefined;
    this.#become('live');
    for await (const lines of linesOf(stream, signal)) {
      this.#heardMs = Date.now();
      for (const line of lines) this.#take1(line);
      this.#notifySoon();
    }
  }

  #take1(line: string): void {
    const { type, object } = watchEventIn(parseJson(line));
    if (type === 'ERROR') throw new ApiError(Number(object.code ?? 500), String(object.message ?? ''));
    if (type === 'BOOKMARK') {
      this.#advance(object);
      return;
    }
    const nowMs = Date.now();
    this.#columns = this.#columns.length > 0 ? this.#columns : (this.#options.reader.columns?.(object) ?? []);
    for (const item of this.#options.reader.read(object, nowMs)) {
      if (type === 'DELETED') this.#remove(item);
      else this.#put(item);
      this.#revision = Math.max(this.#revision, item.revision);
      observeRevision(item.revision, nowMs);
    }
  }

  #advance(object: WatchEvent['object']): void {
    const row = Array.isArray(object.rows) ? record(record(object.rows[0])?.object) : undefined;
    const revision = Number(listMetadataIn(row ?? object).resourceVersion);
    if (revision > this.#revision) this.#revision = revision;
    observeRevision(revision);
  }

  #replace(items: T[]): void {
    this.#items = items.slice().sort(byKey);
    this.#changes = undefined;
    this.#notifySoon();
  }

  #put(item: T): void {
    const at = this.#find(item.key);
    const before = this.#items[at]?.key === item.key ? this.#items[at] : undefined;
    this.#items.splice(at, before === undefined ? 0 : 1, item);
    this.#note(item.key, before, item);
  }

  #remove({ key }: T): void {
    const at = this.#find(key);
    const before = this.#items[at];
    if (before?.key !== key) return;
    this.#items.splice(at, 1);
    this.#note(key, before, undefined);
  }

  #note(key: string, before: T | undefined, after: T | undefined): void {
    const first = this.#changes?.get(key);
    this.#changes?.set(key, { before: first === undefined ? before : first.before, after });
  }

  /** Where an item is, or belongs. */
  #find(key: string): number {
    let low = 0;
    for (let high = this.#items.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#items[middle]!.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #become(phase: Phase): void {
    this.#phase = phase;
    this.#notifySoon();
  }

  #notifySoon(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    onFrame(() => {
      this.#isDirty = false;
      this.#snapshot = this.#take();
      for (const listener of this.#listeners) listener();
    });
  }

  #take(): Snapshot<T> {
    const changes = this.#changes;
    this.#changes = new Map();
    return {
      phase: this.#phase,
      items: changes?.size === 0 ? (this.#snapshot?.items ?? []) : this.#items.slice(),
      columns: this.#columns,
      revision: this.#revision,
      heardMs: this.#heardMs,
      isComplete: this.#isComplete,
      error: this.#error,
      changes,
    };
  }
}

function byKey(a: Item, b: Item): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Hidden pages get no frames. */
function onFrame(callback: () => void): void {
  if (document.hidden) window.setTimeout(callback, 200);
  else requestAnimationFrame(callback);
}

/** Tells the timeline when objects were written before anybody looked. */
export function observeWritten(metadata: ObjectMeta, changedMs: number): void {
  if (changedMs === 0) observeRevision(Number(metadata.resourceVersion), writtenMs(metadata));
}
