import type { KubernetesList, KubernetesObject } from '@pintle/machinery';
import { isStatus, StatusError, serverResponseError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { headerOf, readAll } from '../transport/transport.ts';

/** What the server answered, read. Throws a `StatusError` when it refused. */
export async function readAnswer(response: TransportResponse): Promise<JsonValue> {
  if (response.status < 200 || response.status > 299) throw await readFailure(response);
  const bytes = await readAll(response);
  if (bytes.length === 0) return null;
  try {
    return parseJson(bytes, trustedLimits);
  } catch (cause) {
    throw new ClientError({ code: 'Unreadable', what: `a body that is no JSON (HTTP ${response.status})` }, { cause });
  }
}

/** An answer that is to be an object. Throws a `ClientError` when it is none. */
export function objectIn(answer: unknown): JsonObject {
  if (isJsonObject(answer as JsonValue)) return answer as JsonObject;
  throw new ClientError({ code: 'Unreadable', what: 'it is no object' });
}

/** The same, of the kind that was asked for: that it is one of those, the server vouches for. */
export function kindIn<T extends KubernetesObject>(answer: unknown): T {
  const object: object = objectIn(answer);
  return object as T;
}

/** An answer that is to be a list of objects. Throws a `ClientError` when it is none. */
export function listIn(answer: unknown): KubernetesList {
  const list = objectIn(answer);
  list.items ??= [];
  list.metadata ??= {};
  if (isList(list)) return list;
  throw new ClientError({ code: 'Unreadable', what: 'it is no list of objects' });
}

function isList(value: JsonObject): value is JsonObject & KubernetesList {
  return isJsonObject(value.metadata) && Array.isArray(value.items) && value.items.every(hasMetadata);
}

/** Whether it is an object of the API, as far as can be told of any. */
export function hasMetadata(value: JsonValue): value is JsonObject & KubernetesObject {
  return isJsonObject(value) && isJsonObject(value.metadata);
}

/**
 * Where a list goes on; `undefined` at its end. Throws a `ClientError` when the server gives back the token it was asked
 * with: such a list never ends.
 */
export function nextPageOf(
  { metadata }: Pick<KubernetesList, 'metadata'>,
  asked: string | undefined,
): string | undefined {
  const next = metadata.continue || undefined;
  if (next !== undefined && next === asked)
    throw new ClientError({ code: 'Unreadable', what: 'a list that goes on where it began' });
  return next;
}

/** No refusal of the API is larger. */
const MAX_FAILURE_BYTES = 4 * 1024 * 1024;

/** The error an answer stands for: the Status in it, or one made from its code when a proxy answered in its stead. */
export async function readFailure(response: TransportResponse): Promise<StatusError> {
  const bytes = await readAll(response, { maxBytes: MAX_FAILURE_BYTES });
  const status = statusIn(bytes);
  if (status !== undefined) return new StatusError(withRetryAfter(status, response));
  const serverMessage = Buffer.from(bytes.subarray(0, 2048)).toString().trim();
  const made = serverResponseError({ code: response.status, method: '', serverMessage, isUnexpected: true });
  return new StatusError(withRetryAfter(made.status, response));
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
