import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { ScanOptions } from './event-scanner.ts';
import { scanEvent } from './event-scanner.ts';
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
    for (const line of lines) yield readEvent<T>(line);
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
    const events: SightedEvent<T>[] = [];
    let failure: unknown;
    for (const line of lines) {
      try {
        events.push(sight<T>(line, options));
      } catch (error) {
        failure = error;
        break;
      }
    }
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
  }
}

function sight<T extends KubernetesObject>(line: Uint8Array, options: SightOptions<T>): SightedEvent<T> {
  const { finish } = options;
  const scanned = scanEvent(line, options);
  if (scanned !== undefined && isChange(scanned.type)) {
    const { type, key, resourceVersion, text } = scanned;
    return { type, sighting: Sighting.ofText<T>(key, resourceVersion, text, finish) };
  }
  const event = readEvent<T>(line);
  return event.type === 'BOOKMARK' ? event : { type: event.type, sighting: Sighting.ofObject(event.object, finish) };
}

/** Whole lines, as many at a time as a piece of the stream completes. */
async function* linesOf(body: Body): AsyncGenerator<readonly Uint8Array[], void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      const line = held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      heldBytes = 0;
      start = end + 1;
      if (line.length > 0) lines.push(line);
    }
    if (lines.length > 0) yield lines;
    if (start === chunk.length) continue;
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > MAX_EVENT_BYTES) throw unreadable(`an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
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
