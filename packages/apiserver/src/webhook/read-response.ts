import { waitForOwnTurn } from '@pintle/async';
import { serverResponseError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, JsonError, parseJson, trustedLimits } from '@pintle/machinery/json';
import { NO_TYPE, typeProblem, unmarshal } from '../compat/go-messages.ts';
import { notRegistered, SCHEMES } from '../compat/schemes.ts';
import { LARGE_BYTES } from '../resource/yield-policy.ts';
import { WebhookError } from './webhook-error.ts';

/** Response of a webhook. */
export interface RawWebhookResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** A kind that a response may have. */
export interface ResponseKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Limits of a response: a request waits while it is read, and all others while it is parsed. */
export interface ResponseLimits {
  /** Bytes of a response. */
  readonly maxBytes: number;
  /** Tokens of its JSON, as those of a request are counted. */
  readonly maxTokens: number;
}

/**
 * Returns the object in a response. Its kind is one of those given, or missing; the caller checks the rest. A long
 * response is parsed in its own turn of the event loop, and returned in another.
 */
export async function readResponse(
  response: RawWebhookResponse,
  kinds: readonly ResponseKind[],
  limits: ResponseLimits,
): Promise<JsonObject> {
  if (response.status < 200 || response.status > 299) throw refused(response);
  if (response.body.length === 0) {
    throw unreadable(
      `0-length response with status code: ${response.status} and content type: ${response.contentType}`,
    );
  }
  const isLong = response.body.length >= LARGE_BYTES;
  if (isLong) await waitForOwnTurn();
  const value = (await parse(response.body, limits)) ?? {};
  if (isLong) await waitForOwnTurn();
  if (!isJsonObject(value)) throw unreadable(typeProblem(value)!);
  checkKind(value, kinds);
  return value;
}

/** Returns the error for another status. Shows the message of a Status only: other bodies may be confidential. */
function refused({ status, body }: RawWebhookResponse): WebhookError {
  const text = statusMessage(body);
  const { message } = serverResponseError({ code: status, method: 'POST', serverMessage: 'unknown' });
  return new WebhookError({ code: 'Refused', status, message: text ?? message });
}

function statusMessage(body: Uint8Array): string | undefined {
  try {
    const value = parseJson(body);
    if (!isJsonObject(value) || value.kind !== 'Status' || value.status === 'Success') return undefined;
    return typeof value.message === 'string' && value.message !== '' ? value.message : undefined;
  } catch {
    return undefined;
  }
}

/** Parses JSON or, as Kubernetes does, YAML. */
async function parse(body: Uint8Array, limits: ResponseLimits): Promise<JsonValue> {
  try {
    return parseJson(body, { ...trustedLimits, ...limits });
  } catch (error) {
    if (error instanceof JsonError && error.failure.code === 'TooManyTokens') throw unreadable(error.message);
    const { parseYaml } = await import('@pintle/machinery/yaml');
    try {
      return parseYaml(body);
    } catch {
      throw unreadable(`${NO_TYPE}${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Throws unless the response has one of the kinds. Missing fields are taken as expected. */
function checkKind(value: JsonObject, kinds: readonly ResponseKind[]): void {
  const apiVersion = value.apiVersion || (kinds[0]?.apiVersion ?? '');
  const kind = value.kind || (kinds[0]?.kind ?? '');
  if (kinds.some((known) => known.apiVersion === apiVersion && known.kind === kind)) return;
  for (const [field, given] of Object.entries({ apiVersion, kind })) {
    if (typeof given === 'string') continue;
    throw unreadable(`${NO_TYPE}${unmarshal(given)} Go struct field .${field} of type string`);
  }
  const [wanted] = kinds;
  if (wanted !== undefined && apiVersion === 'v1' && isKnownEverywhere(kind)) {
    const type = `${wanted.apiVersion.slice(wanted.apiVersion.indexOf('/') + 1)}.${wanted.kind}`;
    throw unreadable(`converting (v1.${kind}) to (${type}): unknown conversion`);
  }
  if (String(apiVersion).split('/').length > 2) throw unreadable(`unexpected GroupVersion string: ${apiVersion}`);
  throw unreadable(notRegistered(String(kind), String(apiVersion), SCHEMES.webhooks));
}

/** True for the kinds without a group that every scheme knows, such as Status. */
function isKnownEverywhere(kind: JsonValue): boolean {
  return UNVERSIONED.has(kind);
}

const UNVERSIONED: ReadonlySet<JsonValue> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
]);

function unreadable(detail: string): WebhookError {
  return new WebhookError({ code: 'Unreadable', detail });
}
