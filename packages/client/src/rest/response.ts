import type { KubernetesList, KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError, serverResponseError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { headerOf, readAll } from '../transport/transport.ts';

/** Parses the body of a response. Throws a `StatusError` when its status is not 2xx. */
export async function readJson(response: TransportResponse): Promise<JsonValue> {
  if (response.status < 200 || response.status > 299) throw await readFailure(response);
  const bytes = await readAll(response);
  if (bytes.length === 0) return null;
  try {
    return parseJson(bytes, trustedLimits);
  } catch (cause) {
    throw new ClientError({ code: 'Unreadable', what: `the body is not JSON (HTTP ${response.status})` }, { cause });
  }
}

/** Returns the body as an object. Throws a `ClientError` when it is not one. */
export function objectIn(body: unknown): JsonObject {
  if (isJsonObject(body as JsonValue)) return body as JsonObject;
  throw new ClientError({ code: 'Unreadable', what: 'the body is not an object' });
}

/** Returns the body as an object of the requested kind, which the server guarantees. */
export function kindIn<T extends KubernetesObject>(body: unknown): T {
  const object: object = objectIn(body);
  return object as T;
}

/** Returns the body as a list of objects. Throws a `ClientError` when it is not one. */
export function listIn(body: unknown): KubernetesList {
  const list = objectIn(body);
  list.items ??= [];
  list.metadata ??= {};
  if (isList(list)) return list;
  throw new ClientError({ code: 'Unreadable', what: 'the body is not a list of objects' });
}

function isList(value: JsonObject): value is JsonObject & KubernetesList {
  return isJsonObject(value.metadata) && Array.isArray(value.items) && value.items.every(hasMetadata);
}

/** True for objects with metadata, which all objects of the API have. */
export function hasMetadata(value: JsonValue): value is JsonObject & KubernetesObject {
  return isJsonObject(value) && isJsonObject(value.metadata);
}

/**
 * Returns the continue token of the next page; `undefined` at the end. Throws a `ClientError` when the server returns the
 * token of the request, because such a list never ends.
 */
export function nextPageOf(
  { metadata }: Pick<KubernetesList, 'metadata'>,
  requested: string | undefined,
): string | undefined {
  const next = metadata.continue || undefined;
  if (next !== undefined && next === requested)
    throw new ClientError({ code: 'Unreadable', what: 'the list returned the continue token of the request' });
  return next;
}

/** Larger than any Status of the API. */
const MAX_FAILURE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the error of a response: its Status, or one made from the HTTP code when a proxy responded. Its `cause` has the
 * warnings of the server, which may say why the object is not as the client expects.
 */
export async function readFailure(response: TransportResponse): Promise<StatusError> {
  const bytes = await readAll(response, { maxBytes: MAX_FAILURE_BYTES });
  const status = statusIn(bytes);
  const warnings = warningsOf(response).join('; ');
  const options = warnings === '' ? {} : { cause: new Error(`The server warned: ${warnings}`) };
  if (status !== undefined) return new StatusError(withRetryAfter(status, response), options);
  const serverMessage = Buffer.from(bytes.subarray(0, 2048)).toString().trim();
  const made = serverResponseError({ code: response.status, method: '', serverMessage, isUnexpected: true });
  return new StatusError(withRetryAfter(made.status, response), options);
}

function statusIn(bytes: Uint8Array) {
  try {
    const value = parseJson(bytes, trustedLimits);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withRetryAfter(status: StatusError['status'], response: TransportResponse): StatusError['status'] {
  const seconds = Number(headerOf(response, 'retry-after') ?? '');
  if (!(seconds > 0) || status.details?.retryAfterSeconds !== undefined) return status;
  return { ...status, details: { ...status.details, retryAfterSeconds: seconds } };
}

/** Returns the texts of warning headers, such as `299 - "unknown field \"spec.x\""`. */
export function warningsOf({ headers }: TransportResponse): string[] {
  const value = headers.warning;
  if (value === undefined) return [];
  return (typeof value === 'string' ? [value] : value).flatMap((text) => {
    const quoted = /^299 \S+ "((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
    return quoted === undefined ? [] : [quoted.replaceAll(/\\(.)/g, '$1')];
  });
}
