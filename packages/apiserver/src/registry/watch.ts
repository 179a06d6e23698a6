import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, StatusError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { Revision, StoreEvent, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { Negotiated } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { collectionRange } from '../storage/keys.ts';
import { serveObject } from '../storage/object-codec.ts';
import { isReadAtOnce, isServedAsStored, toObject, toObjects } from '../storage/object-store.ts';
import { headOf, negotiateStream } from './answer.ts';
import type { EndpointCall } from './endpoint.ts';
import { readPage } from './list.ts';
import type { ListOptions } from './list-options.ts';
import { readListOptions } from './list-options.ts';
import { ObjectFilter } from './object-filter.ts';
import { partialMetadata } from './partial-metadata.ts';
import { parseResourceVersion, waitForRevision } from './read-revision.ts';
import type { ServedResource } from './served-resource.ts';
import { columnDefinitions, includeObject, printerOf, row } from './table.ts';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const MIN_TIMEOUT_MS = 30 * 60 * 1000;
const BOOKMARK_INTERVAL_MS = 60_000;
/** Who asks for what has not happened yet waits until it has. */
const FUTURE_POLL_MS = 100;
/** A last bookmark goes out so long before the watch ends. */
const FAREWELL_MS = 2_000;

/** A stream of what happens to a collection. Once it has begun, trouble is told in the stream, not by the status. */
export async function watch(call: EndpointCall): Promise<ApiResponse> {
  const options = readListOptions(call.query, { isWatch: true });
  const form = negotiateStream(call, ['Table', 'PartialObjectMetadata']);
  if (form.transform?.as === 'Table') includeObject(call.query);
  const filter = watchFilter(call, options);
  const from = parseResourceVersion(options.resourceVersion, { isWatch: true });
  const encoder = new EventEncoder(call, form);
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    body: stream(call, options, filter, from, encoder),
  };
}

function watchFilter(call: EndpointCall, options: ListOptions): ObjectFilter {
  const filter = new ObjectFilter(call.resource, options);
  const { name } = call.info;
  if (name === '') return filter;
  if (filter.name !== undefined && filter.name !== name) {
    throw badRequestError("fieldSelector metadata.name doesn't match requested name");
  }
  return new ObjectFilter(call.resource, { ...options, fieldSelector: `metadata.name=${name}` });
}

async function* stream(
  call: EndpointCall,
  options: ListOptions,
  filter: ObjectFilter,
  from: Revision | undefined,
  encoder: EventEncoder,
): AsyncGenerator<Uint8Array> {
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error('The watch is over'));
  const timeoutMs = timeoutOf(call, options);
  const timer = call.clock.setTimer(timeoutMs, end);
  const causes = [call.request.signal, ...(call.resource.gone ? [call.resource.gone] : [])];
  for (const signal of causes) {
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  }
  try {
    yield* events(call, options, filter, from, encoder, ending.signal, timeoutMs);
  } catch (error) {
    if (ending.signal.aborted) return;
    yield encoder.error(error, from);
  } finally {
    timer.cancel();
    for (const signal of causes) signal.removeEventListener('abort', end);
  }
}

function timeoutOf(call: EndpointCall, options: ListOptions): number {
  if (options.timeoutSeconds !== undefined && options.timeoutSeconds > 0) return options.timeoutSeconds * 1000;
  return MIN_TIMEOUT_MS * (1 + call.random.next());
}

async function* events(
  call: EndpointCall,
  options: ListOptions,
  filter: ObjectFilter,
  from: Revision | undefined,
  encoder: EventEncoder,
  signal: AbortSignal,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const { store } = call;
  let after = from;
  const isInitial =
    options.sendInitialEvents === true ||
    ((from === undefined || from === 0) && options.sendInitialEvents === undefined);
  if (options.sendInitialEvents === true && from !== undefined && from > 0) {
    await waitForRevision(store, call.clock, from, { signal });
  }
  if (isInitial) {
    const page = await readPage(
      call,
      { ...options, limit: 0, continueToken: '', resourceVersion: '', resourceVersionMatch: '' },
      filter,
    );
    for (const record of page.records) yield await encoder.record('ADDED', record);
    after = Number(page.metadata.resourceVersion) as Revision;
    if (options.allowWatchBookmarks) yield encoder.bookmark(after, { isInitialEnd: true });
  }
  after = after === undefined || after === 0 ? store.revision : after;
  while (after > store.revision) await call.clock.sleep(FUTURE_POLL_MS, { signal });
  yield* liveEvents(call, options, filter, after, encoder, signal, timeoutMs);
}

async function* liveEvents(
  call: EndpointCall,
  options: ListOptions,
  filter: ObjectFilter,
  after: Revision,
  encoder: EventEncoder,
  signal: AbortSignal,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const range = collectionRange(call.resource.storage, call.info.namespace);
  const source = call.store.watch(range, { after, signal });
  const bookmarks = options.allowWatchBookmarks ? new Bookmarks(call, timeoutMs) : undefined;
  try {
    let pending = source.next();
    for (;;) {
      const winner = bookmarks === undefined ? await pending : await Promise.race([pending, bookmarks.due]);
      if (winner === 'bookmark') {
        yield encoder.bookmark(source.progress, { isInitialEnd: false });
        bookmarks?.rearm();
        continue;
      }
      if (winner.done) return;
      for (const event of winner.value.events) {
        const chunk = encoder.event(event, filter);
        const settled = chunk instanceof Promise ? await chunk : chunk;
        if (settled !== undefined) yield settled;
      }
      pending = source.next();
    }
  } finally {
    bookmarks?.cancel();
    await source.return?.();
  }
}

/** Says when the next bookmark is due: about every minute, and once more shortly before the watch ends. */
class Bookmarks {
  readonly #call: EndpointCall;
  readonly #endsAt: number;
  #timer: { cancel(): void } | undefined;
  due: Promise<'bookmark'>;

  constructor(call: EndpointCall, timeoutMs: number) {
    this.#call = call;
    this.#endsAt = call.clock.monotonic() + timeoutMs;
    this.due = this.#arm();
  }

  rearm(): void {
    this.due = this.#arm();
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #arm(): Promise<'bookmark'> {
    const { clock, random } = this.#call;
    const left = this.#endsAt - clock.monotonic();
    const farewell = left - FAREWELL_MS;
    const regular = BOOKMARK_INTERVAL_MS * (0.9 + random.next() * 0.2);
    const wait = farewell > 0 ? Math.min(regular, farewell) : undefined;
    if (wait === undefined) return new Promise(() => {});
    return new Promise((resolve) => {
      this.#timer = clock.setTimer(wait, () => resolve('bookmark'));
    });
  }
}

/** Encodings of an event that all plain JSON watchers of a resource share; a promise while it is converted. */
const shared = new WeakMap<StoreEvent, Map<ServedResource, Encoded>>();

/** A promise only where the object has to be converted first. */
type Encoded = Uint8Array | Promise<Uint8Array>;

/** Writes events in the form one watcher asked for. */
class EventEncoder {
  readonly #call: EndpointCall;
  readonly #form: Negotiated;
  #isFirst = true;

  constructor(call: EndpointCall, form: Negotiated) {
    this.#call = call;
    this.#form = form;
  }

  record(type: EventType, record: StoreRecord, revision: Revision = record.modRevision): Encoded {
    const { resource } = this.#call;
    if (this.#isPlain && isServedAsStored(resource, record)) {
      return frame(type, serveObject(headOf(resource), record, revision));
    }
    if (!isReadAtOnce(resource, record)) return this.#converted(type, record, revision);
    return this.#object(type, toObject(resource, record), revision);
  }

  /** The event as this watcher sees it through its filter; `undefined` when it sees nothing. */
  event(event: StoreEvent, filter: ObjectFilter): Encoded | undefined | Promise<Uint8Array | undefined> {
    if (!filter.isEverything) return this.#filtered(event, filter);
    if (event.type === 'delete') return this.#sharedRecord(event, 'DELETED', event.previous, event.revision);
    return this.#sharedRecord(event, event.previous ? 'MODIFIED' : 'ADDED', event.record, event.record.modRevision);
  }

  #filtered(event: StoreEvent, filter: ObjectFilter): Encoded | undefined | Promise<Uint8Array | undefined> {
    const { resource } = this.#call;
    const records = [event.previous, event.type === 'put' ? event.record : undefined];
    if (records.some((record) => record !== undefined && !isReadAtOnce(resource, record))) {
      return this.#filteredLater(event, records, filter);
    }
    const [before, now] = records.map((record) => record !== undefined && filter.matches(toObject(resource, record)));
    return this.#transition(event, before!, now!);
  }

  async #filteredLater(
    event: StoreEvent,
    records: readonly (StoreRecord | undefined)[],
    filter: ObjectFilter,
  ): Promise<Uint8Array | undefined> {
    const matches = records.map(async (record) => {
      const objects = record === undefined ? [] : await toObjects(this.#call.resource, [record]);
      return objects.some((object) => filter.matches(object));
    });
    const [before, now] = await Promise.all(matches);
    return await this.#transition(event, before!, now!);
  }

  /** An object that comes into view is new to the watcher, one that leaves it is gone. */
  #transition(event: StoreEvent, before: boolean, now: boolean): Encoded | undefined {
    if (event.type === 'delete') return before ? this.record('DELETED', event.previous, event.revision) : undefined;
    if (now) return this.record(before ? 'MODIFIED' : 'ADDED', event.record);
    return before ? this.record('DELETED', event.previous!, event.record.modRevision) : undefined;
  }

  async #converted(type: EventType, record: StoreRecord, revision: Revision): Promise<Uint8Array> {
    const [object] = await toObjects(this.#call.resource, [record]);
    return this.#object(type, object!, revision);
  }

  #object(type: EventType, object: KubernetesObject, revision: Revision): Uint8Array {
    object.metadata.resourceVersion = String(revision);
    return this.#shaped(type, object);
  }

  bookmark(revision: Revision, { isInitialEnd }: { readonly isInitialEnd: boolean }): Uint8Array {
    const { type } = this.#call.resource;
    const metadata: JsonObject = {
      resourceVersion: String(revision),
      ...(isInitialEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
    };
    const object = { kind: type.kind, apiVersion: type.apiVersion, metadata } as unknown as KubernetesObject;
    return this.#isPlain
      ? frame('BOOKMARK', encodeJson(object as unknown as JsonObject))
      : this.#shaped('BOOKMARK', object);
  }

  error(error: unknown, from: Revision | undefined): Uint8Array {
    return frame('ERROR', encodeJson(statusOf(error, from) as JsonObject));
  }

  get #isPlain(): boolean {
    return this.#form.transform === undefined;
  }

  #sharedRecord(event: StoreEvent, type: EventType, record: StoreRecord, revision: Revision): Encoded {
    if (!this.#isPlain) return this.record(type, record, revision);
    const { resource } = this.#call;
    const encodings = shared.get(event) ?? new Map<ServedResource, Encoded>();
    const known = encodings.get(resource);
    if (known !== undefined) return known;
    const encoded = this.record(type, record, revision);
    shared.set(event, encodings.set(resource, encoded));
    if (encoded instanceof Promise) encoded.catch(() => encodings.delete(resource));
    return encoded;
  }

  #shaped(type: EventType, object: KubernetesObject): Uint8Array {
    const { transform } = this.#form;
    if (transform === undefined) return frame(type, encodeJson(object as unknown as JsonObject));
    if (transform.as !== 'Table') return frame(type, encodeJson(partialMetadata(object, transform.version)));
    const printer = printerOf(this.#call);
    const rows = [row(this.#call, printer, includeObject(this.#call.query), transform.version, object)];
    const table: JsonObject = {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${transform.version}`,
      metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
      columnDefinitions: this.#isFirst ? columnDefinitions(printer) : null,
      rows,
    };
    this.#isFirst = false;
    return frame(type, encodeJson(table));
  }
}

/** `{"type":"ADDED","object":…}` and a line feed. */
function frame(type: EventType, object: Uint8Array): Uint8Array {
  const head = `{"type":"${type}","object":`;
  const out = Buffer.allocUnsafe(head.length + object.length + 2);
  out.write(head, 0, 'latin1');
  out.set(object, head.length);
  out[out.length - 2] = 0x7d;
  out[out.length - 1] = 0x0a;
  return out;
}

function statusOf(error: unknown, from: Revision | undefined): object {
  if (error instanceof StatusError) return error.status;
  if (error instanceof StoreError && error.failure.code === 'Compacted') {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `too old resource version: ${from ?? error.failure.requested} (${error.failure.oldest})`,
      reason: 'Expired',
      code: 410,
    };
  }
  throw error;
}
