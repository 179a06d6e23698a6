import { Chunks, joined } from '@pintle/http2';
import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getPath, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { flow } from '../transport/transport.ts';
import { hasMetadata, kindIn } from './answer.ts';
import type { ScanOptions } from './event-scanner.ts';
import { EventScanner } from './event-scanner.ts';
import { Sighting } from './sighting.ts';
import type { SlabOptions } from './slab.ts';
import { Slab } from './slab.ts';

/** Something happened to an object. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How far a watch has come; nothing happened. */
export interface Bookmark {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  readonly isEndOfInitialEvents: boolean;
}

/** Something happened to an object. A bookmark only says how far the watch has come. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { readonly type: ChangeType; readonly object: T }
  | Bookmark;

/** The same, with an object that is read when somebody looks at it. */
export type SightedEvent<T extends KubernetesObject> =
  | { readonly type: ChangeType; readonly sighting: Sighting<T> }
  | Bookmark;

type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** No event of a server that keeps its own limits is larger. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/**
 * The events of a watch, from its bytes, which are asked for when the first event is. An error the server sends is thrown
 * as a `StatusError`; bytes that are no events as a `ClientError`. Ends when the stream does: a half event at the end is
 * dropped, for it will come again.
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

export interface SightOptions<T> extends ScanOptions, SlabOptions<T> {
  /**
   * Much comes at once and is kept: small chunks share what their texts are kept in, which holds on to a few of them for
   * a while. Default: no.
   */
  readonly isGathering?: () => boolean;
}

/** So much is gathered. */
const GATHERED_BYTES = 64 * 1024;

/**
 * The same, as many at a time as have come, with objects that are read when somebody looks at them. `take` is called at
 * once: what it throws ends the stream. Events that come before a broken one are given before it is thrown.
 */
export async function takeSightings<T extends KubernetesObject>(
  body: Body,
  options: SightOptions<T>,
  take: (events: readonly SightedEvent<T>[]) => void,
): Promise<void> {
  const lines = new Lines();
  const scanner = new EventScanner(options);
  let slab = new Slab<T>(options);
  await flow(body, (lent, isLent) => {
    const isGathering = lent.length < GATHERED_BYTES && options.isGathering?.() === true;
    const regions = lines.take(isLent && isGathering ? Uint8Array.prototype.slice.call(lent) : lent);
    if (regions.length === 0) return;
    if (slab.isSealed) slab = new Slab<T>(options);
    const { events, failure } = sightAll(regions, scanner, slab, options);
    if (slab.size > GATHERED_BYTES || !isGathering) slab.seal();
    if (events.length > 0) take(events);
    if (failure !== undefined) throw failure;
  });
}

function sightAll<T extends KubernetesObject>(
  regions: readonly Region[],
  scanner: EventScanner,
  slab: Slab<T>,
  options: SightOptions<T>,
): { readonly events: readonly SightedEvent<T>[]; readonly failure?: unknown } {
  const events: SightedEvent<T>[] = [];
  let failure: unknown;
  for (const { bytes, start, end } of regions) {
    for (let at = start, lineEnd = 0; at < end && failure === undefined; at = lineEnd + 1) {
      lineEnd = bytes.indexOf(NEWLINE, at);
      if (lineEnd === at) continue;
      if (scanner.scan(bytes, at, lineEnd) && isChange(scanner.type))
        events.push({ type: scanner.type, sighting: sightText(bytes, scanner, slab) });
      else
        try {
          events.push(sightWhole(bytes.subarray(at, lineEnd), options));
        } catch (error) {
          failure = error;
        }
    }
  }
  return { events, failure };
}

function sightText<T extends KubernetesObject>(bytes: Buffer, scanner: EventScanner, slab: Slab<T>): Sighting<T> {
  const { key, resourceVersion, objectStart, objectEnd, cutStart, cutEnd } = scanner;
  const isCut = cutEnd > 0;
  const start = slab.begin(bytes, objectStart, isCut ? cutStart : objectEnd);
  const end = isCut ? slab.add(bytes, cutEnd, objectEnd) : slab.size;
  return Sighting.ofText<T>(key, resourceVersion, slab, start, end);
}

function sightWhole<T extends KubernetesObject>(line: Uint8Array, { finish }: SightOptions<T>): SightedEvent<T> {
  const event = readEvent<T>(line);
  return event.type === 'BOOKMARK' ? event : { type: event.type, sighting: Sighting.ofObject(event.object, finish) };
}

/** Whole lines, each with its newline. */
interface Region {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Makes lines of chunks. */
class Lines {
  /** The beginning of a line whose end has not come. It is a copy, for the chunk is large. */
  readonly #held = new Chunks();

  /** As many lines as the chunk completes, to be used before the next. */
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
    if (this.#held.bytes > MAX_EVENT_BYTES) throw unreadable(`an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readEvent<T extends KubernetesObject>(line: Uint8Array): WatchEvent<T> {
  const { type, object } = parseEvent(line);
  if (isChange(type)) {
    if (!hasMetadata(object)) throw unreadable('an object without metadata');
    return { type, object: kindIn<T>(object) };
  }
  if (type === 'BOOKMARK') return bookmark(object);
  if (type !== 'ERROR') throw unreadable(`an event of type ${JSON.stringify(type)}`);
  if (isStatus(object)) throw new StatusError(object);
  throw unreadable('an error that is no Status');
}

function isChange(type: unknown): type is ChangeType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

function parseEvent(line: Uint8Array): { readonly type: JsonValue | undefined; readonly object: JsonObject } {
  let value: JsonValue;
  try {
    value = parseJson(line, trustedLimits);
  } catch (cause) {
    throw unreadable('an event that is no JSON', cause);
  }
  if (!isJsonObject(value) || !isJsonObject(value.object)) throw unreadable('an event without an object');
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
