import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { ScannedEvent, ScanOptions } from './event-scanner.ts';
import { scanEvent } from './event-scanner.ts';
import { Sighting } from './sighting.ts';
import { Slab } from './slab.ts';
import type { SightedEvent, WatchEvent } from './watch-event.ts';
import { INITIAL_EVENTS_END } from './watch-event.ts';

type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** No event of a server that keeps its own limits is larger. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/**
 * The events of a watch, from its bytes. An error the server sends is thrown as a `StatusError`; bytes that are no
 * events as a `ClientError`. Ends when the stream does: a half event at the end is dropped, for it will come again.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  body: Body | Promise<Body>,
): AsyncGenerator<WatchEvent<T>, void> {
  for await (const regions of linesOf(await body)) {
    for (const { bytes, start, end } of regions) {
      for (let at = start, lineEnd = 0; at < end; at = lineEnd + 1) {
        lineEnd = bytes.indexOf(NEWLINE, at);
        if (lineEnd > at) yield readEvent<T>(bytes.subarray(at, lineEnd));
      }
    }
  }
}

export interface SightOptions<T> extends ScanOptions {
  /** Makes of an object what is kept of it. */
  readonly finish: (object: T) => T;
}

/**
 * The same, as many at a time as have come, with objects that are read when somebody looks at them. Events that come
 * before a broken one are given before it is thrown.
 */
export async function* readSightings<T extends KubernetesObject>(
  body: Body | Promise<Body>,
  options: SightOptions<T>,
): AsyncGenerator<readonly SightedEvent<T>[], void> {
  for await (const regions of linesOf(await body)) {
    const { events, failure } = sightAll(regions, options);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
}

function sightAll<T extends KubernetesObject>(
  regions: readonly Lines[],
  options: SightOptions<T>,
): { readonly events: readonly SightedEvent<T>[]; readonly failure?: unknown } {
  const slab = new Slab<T>(options.finish);
  const events: SightedEvent<T>[] = [];
  let isAscii = true;
  let failure: unknown;
  for (const { bytes, start, end } of regions) {
    for (let at = start, lineEnd = 0; at < end && failure === undefined; at = lineEnd + 1) {
      lineEnd = bytes.indexOf(NEWLINE, at);
      if (lineEnd === at) continue;
      const scanned = scanEvent(bytes, at, lineEnd, options);
      if (scanned !== undefined && isChange(scanned.type)) {
        isAscii &&= scanned.isAscii;
        events.push({ type: scanned.type, sighting: sightText(bytes, scanned, slab) });
      } else
        try {
          events.push(sightWhole(bytes.subarray(at, lineEnd), options));
        } catch (error) {
          failure = error;
        }
    }
  }
  slab.seal({ isAscii });
  return { events, failure };
}

function sightText<T extends KubernetesObject>(bytes: Buffer, scanned: ScannedEvent, slab: Slab<T>): Sighting<T> {
  const { key, resourceVersion, objectStart, objectEnd, cutStart, cutEnd } = scanned;
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
interface Lines {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** As many lines at a time as a piece of the stream completes. */
async function* linesOf(body: Body): AsyncGenerator<readonly Lines[], void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const received of body instanceof Uint8Array ? [body] : body) {
    const bytes = bufferOver(received);
    const regions: Lines[] = [];
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    let start = 0;
    if (held.length > 0 && end > 0) {
      start = bytes.indexOf(NEWLINE) + 1;
      const whole = Buffer.concat([...held, bytes.subarray(0, start)]);
      regions.push({ bytes: whole, start: 0, end: whole.length });
      held = [];
      heldBytes = 0;
    }
    if (start < end) regions.push({ bytes, start, end });
    if (regions.length > 0) yield regions;
    if (end === bytes.length) continue;
    held.push(bytes.subarray(end));
    heldBytes += bytes.length - end;
    if (heldBytes > MAX_EVENT_BYTES) throw unreadable(`an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readEvent<T extends KubernetesObject>(line: Uint8Array): WatchEvent<T> {
  const { type, object } = parseEvent(line);
  if (isChange(type)) {
    if (!isJsonObject(object.metadata)) throw unreadable('an object without metadata');
    return { type, object: object as unknown as T };
  }
  if (type === 'BOOKMARK') return bookmark(object as unknown as KubernetesObject);
  if (type !== 'ERROR') throw unreadable(`an event of type ${JSON.stringify(type)}`);
  if (isStatus(object)) throw new StatusError(object);
  throw unreadable('an error that is no Status');
}

function isChange(type: unknown): type is 'ADDED' | 'MODIFIED' | 'DELETED' {
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

function bookmark({ metadata }: KubernetesObject): WatchEvent<never> {
  return {
    type: 'BOOKMARK',
    resourceVersion: metadata?.resourceVersion ?? '',
    isEndOfInitialEvents: metadata?.annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}

function unreadable(what: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'Unreadable', what }, { cause });
}
