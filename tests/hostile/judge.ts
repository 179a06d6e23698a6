import type { PlainRequest } from './target.ts';

/** Answers of 500 that kube-apiserver gives too: versions, strategic patches and paths that make no sense. */
const KNOWN_SERVER_ERRORS = [
  'resourceVersion: Invalid value',
  'strconv.ParseUint',
  'unable to find api field in struct',
  'does not contain declared merge key',
  'list element types are not identical',
  'unknown patch type',
  'resourceVersion should not be set on objects to be created',
  'failed to create typed patch object',
  'no preferred addresses found',
  'failed to create RequestInfo: unable to determine kind and namespace from url',
  "doesn't match $setElementOrder list",
];
const PROXIED = /^\/api\/v1\/namespaces\/[^/]+\/services\/[^/]+\/proxy\//;

/** With HEAD the last of these comes without its words. */
const SAYS_NOTHING = /^\/apis?\/(?:[^/]+\/){1,2}(?:watch|proxy)\/*(?:\?|$)/;
/** A body beyond the limit may be refused by closing the connection under it. */
const LARGE_BODY_BYTES = 1_000_000;

/** No client should get this answer: the server failed, or never answered. */
export function isServerError(status: number, text: string, { method, target, body }: PlainRequest): boolean {
  if (status === 0) {
    const isLarge = body instanceof Uint8Array && body.length > LARGE_BODY_BYTES;
    return !isLarge && /socket hang up|ECONNRESET|EPIPE/.test(text);
  }
  // A deadline that has passed, or a revision that is not reached yet.
  if (status === 504) return false;
  // A service without endpoints.
  if (status === 503 && PROXIED.test(target)) return false;
  if (status === 500 && KNOWN_SERVER_ERRORS.some((words) => text.includes(words))) return false;
  if (status === 500 && method === 'HEAD' && SAYS_NOTHING.test(target)) return false;
  return status < 0 || status >= 500;
}

export function sampleOf({ method, target, headers, body }: PlainRequest): string {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : JSON.stringify(body ?? '');
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(headers ?? {}).slice(0, 300)} ${text.slice(0, 300)}`;
}
