import type { KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError } from '@pintle/machinery/errors';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { WatchEvent } from './watch-event.ts';
import { INITIAL_EVENTS_END } from './watch-event.ts';

/** No event of a server that keeps its own limits is larger. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

/**
 * The events of a watch, from its bytes. An error the server sends is thrown as a `StatusError`; bytes that are no
 * events as a `ClientError`. Ends when the stream does: a half event at the end is dropped, for it will come again.
 */
export async function* readWatchEvents<T extends KubernetesObject>(
  body: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void> {
  for await (const line of lines(body)) yield toEvent<T>(line);
}

async function* lines(body: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const chunks = body instanceof Uint8Array ? [body] : body;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      const line = held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      heldBytes = 0;
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start === chunk.length) continue;
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > MAX_EVENT_BYTES) throw unreadable(`an event of more than ${MAX_EVENT_BYTES} bytes`);
  }
}

function toEvent<T extends KubernetesObject>(line: Uint8Array): WatchEvent<T> {
  const { type, object } = parseEvent(line);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: object as unknown as T };
    case 'BOOKMARK':
      return bookmark(object as unknown as KubernetesObject);
    case 'ERROR':
      if (isStatus(object)) throw new StatusError(object);
      throw unreadable('an error that is no Status');
    default:
      throw unreadable(`an event of type ${JSON.stringify(type)}`);
  }
}

function parseEvent(line: Uint8Array) {
  let value: unknown;
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
