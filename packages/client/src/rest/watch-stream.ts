import { Chunks, joined } from '@pintle/http2';
import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getPath, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { flow } from '../transport/transport.ts';
import type { ScanOptions } from './event-scanner.ts';
import { EventScanner } from './event-scanner.ts';
import { LazyObject } from './lazy-object.ts';
import { hasMetadata, kindIn } from './response.ts';
import type { TextArenaOptions } from './text-arena.ts';
import { TextArena } from './text-arena.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Progress of a watch, without a change. */
export interface Bookmark {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  readonly isEndOfInitialEvents: boolean;
}

/** Change of an object, or a bookmark. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: ChangeType; readonly object: T }
  | Bookmark;

/** `WatchEvent` whose object is parsed on first access. */
export type LazyEvent<T extends KubernetesObject> =
  | { readonly type: ChangeType; readonly object: LazyObject<T> }
  | Bookmark;

type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** Larger than any event of a server that keeps its own limits. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/**
 * Reads the events of a watch. Calls `open` when the first event is requested. Throws a `StatusError` for an ERROR event, and
 * a `ClientError` for malformed events. Ends with the stream; drops an incomplete event at the end, which the next watch
 * sends again.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  open: () => Promise<Body>,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void> {
  const lines = new Lines();
  const chunks = await open();
  for await (const chunk of chunks instanceof Uint8Array ? [chunks] : chunks) {
    for (const { bytes, start, end } of lines.take(chunk)) {
      for (let at = start, lineEnd = 0; at < end; at = lineEnd + 1) {
        lineEnd = bytes.indexOf(NEWLINE, at);
        if (lineEnd > at) yield readEvent<T>(bytes.subarray(at, lineEnd));
      }
    }
  }
  signal?.throwIfAborted();
}

export interface LazyEventOptions<T> extends ScanOptions, TextArenaOptions<T> {
  /**
   * True while many objects arrive at once and are kept: small chunks then share one arena, which retains a few of them
   * for a while. Default: false.
   */
  readonly isSharingArena?: () => boolean;
}

/** Size at which a shared arena is sealed. */
const SHARED_ARENA_BYTES = 64 * 1024;

/**
 * Reads the events of a watch, as many at a time as have arrived, with objects that are parsed on first access. An error
 * that `take` throws ends the stream. Passes on the events before a malformed one before it throws.
 */
export async function readLazyEvents<T extends KubernetesObject>(
  body: Body,
  options: LazyEventOptions<T>,
  take: (events: readonly LazyEvent<T>[]) => void,
): Promise<void> {
  const lines = new Lines();
  const scanner = new EventScanner(options);
  let arena = new TextArena<T>(options);
  await flow(body, (lent, isLent) => {
    const isSharingArena = lent.length < SHARED_ARENA_BYTES && options.isSharingArena?.() === true;
    const regions = lines.take(isLent && isSharingArena ? Uint8Array.prototype.slice.call(lent) : lent);
    if (regions.length === 0) return;
    if (arena.isSealed) arena = new TextArena<T>(options);
    const { events, failure } = scanEvents(regions, scanner, arena, options);
    if (arena.size > SHARED_ARENA_BYTES || !isSharingArena) arena.seal();
    if (events.length > 0) take(events);
    if (failure !== undefined) throw failure;
  });
}

function scanEvents<T extends KubernetesObject>(
  regions: readonly Region[],
  scanner: EventScanner,
  arena: TextArena<T>,
  options: LazyEventOptions<T>,
): { readonly events: readonly LazyEvent<T>[]; readonly failure?: unknown } {
  const events: LazyEvent<T>[] = [];
  let failure: unknown;
  for (const { bytes, start, end } of regions) {
    for (let at = start, lineEnd = 0; at < end && failure === undefined; at = lineEnd + 1) {
      lineEnd = bytes.indexOf(NEWLINE, at);
      if (lineEnd === at) continue;
      if (scanner.scan(bytes, at, lineEnd) && isChange(scanner.type))
        events.push({ type: scanner.type, object: addToArena(bytes, scanner, arena) });
      else
        try {
          events.push(parseWhole(bytes.subarray(at, lineEnd), options));
        } catch (error) {
          failure = error;
        }
    }
  }
  return { events, failure };
}

function addToArena<T extends KubernetesObject>(
  bytes: Buffer,
  scanner: EventScanner,
  arena: TextArena<T>,
): LazyObject<T> {
  const { key, resourceVersion, objectStart, objectEnd, cutStart, cutEnd } = scanner;
  const isCut = cutEnd > 0;
  const start = arena.begin(bytes, objectStart, isCut ? cutStart : objectEnd);
  const end = isCut ? arena.add(bytes, cutEnd, objectEnd) : arena.size;
  return LazyObject.ofText<T>(key, resourceVersion, arena, start, end);
}

function parseWhole<T extends KubernetesObject>(line: Uint8Array, { transform }: LazyEventOptions<T>): LazyEvent<T> {
  const event = readEvent<T>(line);
  return event.type === 'BOOKMARK' ? event : { type: event.type, object: LazyObject.ofObject(event.object, transform) };
}

/** Whole lines, each with its newline. */
interface Region {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Splits chunks into lines. */
class Lines {
  /** Incomplete line at the end of the last chunk, copied, because the chunk is large. */
  readonly #held = new Chunks();

  /** Returns the lines that the chunk completes; they are valid until the next chunk. */
  take(chunk: Uint8Array): readonly Region[] {
    const bytes = bufferOver(chunk);
    const regions: Region[] = [];
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    let start = 0;
    if (this.#held.bytes > 0 && end > 0) {
      start = bytes.indexOf(NEWLINE) + 1;
      this.#held.push(bytes.subarray(0, start), false);
      const whole = bufferOver(joined(this.#held.take()));
      regions.push({ bytes: whole, start: 0, end: whole.length });
    }
    if (start < end) regions.push({ bytes, start, end });
    if (end < bytes.length) this.#hold(bytes.subarray(end));
    return regions;
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes, true);
    if (this.#held.bytes > MAX_EVENT_BYTES) throw unreadable(`a watch event is larger than ${MAX_EVENT_BYTES} bytes`);
  }
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readEvent<T extends KubernetesObject>(line: Uint8Array): WatchEvent<T> {
  const { type, object } = parseEvent(line);
  if (isChange(type)) {
    if (!hasMetadata(object)) throw unreadable('a watch event has an object without metadata');
    return { type, object: kindIn<T>(object) };
  }
  if (type === 'BOOKMARK') return bookmark(object);
  if (type !== 'ERROR') throw unreadable(`a watch event has type ${JSON.stringify(type)}`);
  if (isStatus(object)) throw new StatusError(object);
  throw unreadable('an ERROR event has no Status');
}

function isChange(type: unknown): type is ChangeType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function parseEvent(line: Uint8Array): { readonly type: JsonValue | undefined; readonly object: JsonObject } {
  let value: JsonValue;
  try {
    value = parseJson(line, trustedLimits);
  } catch (cause) {
    throw unreadable('a watch event is not JSON', cause);
  }
  if (!isJsonObject(value) || !isJsonObject(value.object)) throw unreadable('a watch event has no object');
  return { type: value.type, object: value.object };
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

function bookmark(object: JsonObject): Bookmark {
  const resourceVersion = getPath(object, 'metadata', 'resourceVersion');
  return {
    type: 'BOOKMARK',
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    isEndOfInitialEvents: getPath(object, 'metadata', 'annotations', INITIAL_EVENTS_END) === 'true',
  };
}

function unreadable(what: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'Unreadable', what }, { cause });
}
