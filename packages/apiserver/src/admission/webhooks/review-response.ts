import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getOwn, isJsonObject } from '@pintle/machinery/json';
import { unmarshal } from '../../compat/go-messages.ts';
import { WebhookError } from '../../webhook/index.ts';
import type { ReviewVersion } from './hook.ts';
import { REVIEW_GROUP, REVIEW_KIND } from './review-request.ts';

/** Response of a webhook. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch: Uint8Array;
  readonly patchType: string | undefined;
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: ReviewResponse | undefined;
}

/** Reads a review. Throws `WebhookError` in Go's words when a field has the wrong type. */
export function readReview(answer: JsonObject, version: ReviewVersion): Review {
  const { apiVersion = '', kind = '', response = null } = answer;
  const found = apiVersion === '' ? version : String(apiVersion).slice(REVIEW_GROUP.length + 1);
  const read = response === null ? undefined : readResponse(response, found);
  // As in Kubernetes, a review in another version is read before it is refused.
  if (found !== version)
    throw unreadable(`converting (${found}.${REVIEW_KIND}) to (${version}.${REVIEW_KIND}): unknown conversion`);
  return { apiVersion: String(apiVersion), kind: String(kind), response: read };
}

function readResponse(value: JsonValue, version: string): ReviewResponse {
  if (!isJsonObject(value)) throw mismatch(value, 'AdmissionReview.response', `${version}.AdmissionResponse`);
  const at = (name: string): string => `AdmissionResponse.response.${name}`;
  const text = (name: string, type = 'string') => readText(getOwn(value, name), at(name), type);
  return {
    uid: text('uid', 'types.UID') ?? '',
    allowed: readBool(getOwn(value, 'allowed'), at('allowed')),
    patch: readBytes(text('patch', '[]uint8') ?? ''),
    patchType: text('patchType', `${version}.PatchType`),
    status: readStatus(getOwn(value, 'status'), at('status')),
    warnings: readTexts(getOwn(value, 'warnings'), at('warnings')),
    auditAnnotations: readTextMap(getOwn(value, 'auditAnnotations'), at('auditAnnotations')),
  };
}

function readText(value: JsonValue | undefined, at: string, type: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw mismatch(value, at, type);
  return value;
}

function readBool(value: JsonValue | undefined, at: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw mismatch(value, at, 'bool');
  return value;
}

function readStatus(value: JsonValue | undefined, at: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw mismatch(value, at, 'v1.Status');
  for (const name of ['message', 'reason', 'status']) {
    readText(getOwn(value, name), `Status.response.status.${name}`, name === 'reason' ? 'v1.StatusReason' : 'string');
  }
  const code = getOwn(value, 'code') ?? 0;
  if (typeof code !== 'number' || !Number.isInteger(code)) throw mismatch(code, 'Status.response.status.code', 'int32');
  const details = getOwn(value, 'details') ?? null;
  if (details !== null && !isJsonObject(details)) {
    throw mismatch(details, 'Status.response.status.details', 'v1.StatusDetails');
  }
  return value;
}

function readTexts(value: JsonValue | undefined, at: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, at, '[]string');
  return value.map((item) => readText(item, at, 'string') ?? '');
}

function readTextMap(value: JsonValue | undefined, at: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw mismatch(value, at, 'map[string]string');
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readText(item, at, 'string') ?? '']));
}

function readBytes(text: string): Uint8Array {
  const decoded = decodeBase64(text);
  if (typeof decoded === 'number') throw unreadable(`illegal base64 data at input byte ${decoded}`);
  return decoded;
}

function mismatch(value: JsonValue, at: string, type: string): WebhookError {
  return unreadable(`${unmarshal(value)} Go struct field ${at} of type ${type}`);
}

function unreadable(detail: string): WebhookError {
  return new WebhookError({ code: 'Unreadable', detail });
}

export interface Expected {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly isMutating: boolean;
}

/** Returns the problem of a response; `undefined` when it is valid. `v1beta1` requires less than `v1`. */
export function checkResponse(review: Review, { uid, version, isMutating }: Expected): string | undefined {
  const { response } = review;
  if (response === undefined) return 'webhook response was absent';
  if (version === 'v1beta1') return undefined;
  if (response.uid !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid)}`;
  }
  if (review.apiVersion !== `${REVIEW_GROUP}/v1` || review.kind !== REVIEW_KIND) {
    const found = `${review.apiVersion === '' ? '/' : review.apiVersion}, Kind=${review.kind}`;
    return `expected webhook response of ${REVIEW_GROUP}/v1, Kind=${REVIEW_KIND}, got ${found}`;
  }
  return isMutating ? checkPatch(response) : checkNoPatch(response);
}

function checkPatch({ patch, patchType }: ReviewResponse): string | undefined {
  if (patch.length > 0 && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch.length === 0 && patchType !== undefined)
    return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function checkNoPatch({ patch, patchType }: ReviewResponse): string | undefined {
  if (patch.length > 0) return 'validating webhook may not return response.patch';
  return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
}

/**
 * Decodes standard base64; returns the index of the first wrong character when the text is not base64. Skips line
 * breaks.
 */
export function decodeBase64(text: string): Uint8Array | number {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/);
  const digits = text.slice(0, end === -1 ? text.length : end).replace(/[\r\n]/g, '').length;
  const rest = end === -1 ? '' : text.slice(end).replace(/[\r\n]/g, '');
  if (rest !== PADDING[digits % 4]) return end === -1 ? text.length - (digits % 4) : end;
  return Buffer.from(text, 'base64');
}

/** Padding by the number of characters in the last group of four; one character alone is invalid. */
const PADDING: readonly (string | undefined)[] = ['', undefined, '==', '='];
