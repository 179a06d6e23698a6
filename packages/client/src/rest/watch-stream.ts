import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { ScannedEvent, ScanOptions } from './event-scanner.ts';
import { scanEvent } from './event-scanner.ts';
import type { Slab } from './sighting.ts';
import { Sighting } from './sighting.ts';
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
  for await (const lines of linesOf(await body)) {
    for (const { bytes, start, end } of lines) yield readEvent<T>(bytes.subarray(start, end));
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
  for await (const lines of linesOf(await body)) {
    const { events, failure } = sightAll(lines, options);
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
}

function sightAll<T extends KubernetesObject>(
  lines: readonly Line[],
  options: SightOptions<T>,
): { readonly events: readonly SightedEvent<T>[]; readonly failure?: unknown } {
  const scanned: (ScannedEvent | undefined)[] = [];
  for (const { bytes, start, end } of lines) scanned.push(scanEvent(bytes, start, end, options));
  const slab = copyTexts(lines, scanned);
  const events: SightedEvent<T>[] = [];
  let place = 0;
  for (let index = 0; index < lines.length; index++) {
    const event = scanned[index];
    if (event !== undefined && isChange(event.type)) {
      const start = place;
      place += keptBytes(event);
      const text = { slab, start, end: place };
      const sighting = Sighting.ofText<T>(event.key, event.resourceVersion, text, options.finish);
      events.push({ type: event.type, sighting });
      continue;
    }
    try {
      events.push(sightWhole<T>(lines[index]!, options));
    } catch (failure) {
      return { events, failure };
    }
  }
  return { events };
}

function sightWhole<T extends KubernetesObject>(
  { bytes, start, end }: Line,
  { finish }: SightOptions<T>,
): SightedEvent<T> {
  const event = readEvent<T>(bytes.subarray(start, end));
  return event.type === 'BOOKMARK' ? event : { type: event.type, sighting: Sighting.ofObject(event.object, finish) };
}

/** Puts the texts of objects one after the other, so that what was received with them can go. */
function copyTexts(lines: readonly Line[], scanned: readonly (ScannedEvent | undefined)[]): Slab {
  let size = 0;
  let isAscii = true;
  for (const event of scanned) {
    if (event === undefined || !isChange(event.type)) continue;
    size += keptBytes(event);
    isAscii &&= event.isAscii;
  }
  const copy = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let index = 0; index < scanned.length; index++) {
    const event = scanned[index];
    if (event === undefined || !isChange(event.type)) continue;
    const { objectStart, objectEnd, cutStart, cutEnd } = event;
    const { bytes } = lines[index]!;
    const isCut = cutEnd > 0;
    at += bytes.copy(copy, at, objectStart, isCut ? cutStart : objectEnd);
    if (isCut) at += bytes.copy(copy, at, cutEnd, objectEnd);
  }
  return { bytes: copy, encoding: isAscii ? 'latin1' : 'utf8' };
}

function keptBytes({ objectStart, objectEnd, cutStart, cutEnd }: ScannedEvent): number {
  return objectEnd - objectStart - (cutEnd - cutStart);
}

interface Line {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Whole lines, as many at a time as a piece of the stream completes. */
async function* linesOf(body: Body): AsyncGenerator<readonly Line[], void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const received of body instanceof Uint8Array ? [body] : body) {
    const bytes = bufferOver(received);
    const lines: Line[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      if (held.length > 0) lines.push(wholeLine([...held, bytes.subarray(start, end)]));
      else if (end > start) lines.push({ bytes, start, end });
      held = [];
      heldBytes = 0;
      start = end + 1;
    }
    if (lines.length > 0) yield lines;
    if (start === bytes.length) continue;
    held.push(bytes.subarray(start));
    heldBytes += bytes.length - start;
    if (heldBytes > MAX_EVENT_BYTES) throw unreadable(`an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
}

function wholeLine(pieces: readonly Uint8Array[]): Line {
  const bytes = Buffer.concat(pieces);
  return { bytes, start: 0, end: bytes.length };
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
