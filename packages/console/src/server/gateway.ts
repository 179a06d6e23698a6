import type { ApiRequest, ApiResponse, Peer } from '@pintle/apiserver';
import type { RequestInfo, ResourceRequest } from '@pintle/apiserver/request';
import { readRequestInfo } from '@pintle/apiserver/request';
import { REVEAL_AGENT, REVEAL_HEADER, USER_AGENT } from '../protocol.ts';
import { ConsoleError } from './errors.ts';
import { single } from './guard.ts';
import { dataResponse } from './responses.ts';
import type { Session } from './sessions.ts';
import { SharedWatches } from './shared-watches.ts';

/** Answers requests to the API. */
export type Answer = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

/** Headers of a page's request that reach the API: none that names a user, and none that asks for another protocol. */
const PASSED = ['accept', 'accept-encoding', 'content-type', 'content-length', 'if-none-match'];
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Subresources that answer with what runs in containers or behind services: that could be a page. */
const UNSUITABLE: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward']);
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
/** Forms of objects without what is in them. */
const WITHOUT_VALUES = /^application\/json;as=(?:Table|PartialObjectMetadata(?:List)?);v=v1;g=meta\.k8s\.io$/;

/** Passes a page's request on as the session's user: authentication, audit, flow control and rights are the server's own. */
export async function passOn(
  answer: Answer,
  session: Session,
  request: ApiRequest,
  path: string,
): Promise<ApiResponse> {
  if (!METHODS.has(request.method)) throw new ConsoleError({ code: 'WrongMethod', method: request.method });
  const query = new URLSearchParams(request.query);
  const info = checkPath(request, { method: request.method, path }, query);
  if (isWatch(info, query)) throw notAllowed('watches are opened with POST /console/watch/…');
  const isSecretDeleted = info.kind === 'resource' && info.resource === 'secrets' && info.verb === 'delete';
  return dataResponse(
    await answer(new PassedRequest(request, session, { path, ...(isSecretDeleted && { accept: METADATA }) })),
  );
}

/** Opens a watch for the page; it ends with the session, and counts as a stream of it unless `isCounted` is false. */
export async function openWatch(
  answer: Answer,
  session: Session,
  request: ApiRequest,
  path: string,
  { isCounted = true }: { readonly isCounted?: boolean } = {},
): Promise<ApiResponse> {
  const query = new URLSearchParams(request.query);
  query.set('watch', '1');
  checkPath(request, { method: 'GET', path }, query);
  const close = isCounted ? session.openStream() : () => {};
  try {
    const signal = AbortSignal.any([request.signal, session.signal]);
    const passed = new PassedRequest(request, session, { path, query: `${query}`, method: 'GET', signal });
    const response = await answer(passed);
    if (response.body instanceof Uint8Array) close();
    else Object.assign(response, { body: closing(response.body, close) });
    return dataResponse(response);
  } catch (error) {
    close();
    throw error;
  }
}

/** Opens a stream that carries many watches of a page; it ends with the session, and counts as one besides its watches. */
export function openShared(
  session: Session,
  request: ApiRequest,
  open: (request: ApiRequest, path: string) => Promise<ApiResponse>,
  refusal: (error: unknown) => ApiResponse,
): ApiResponse {
  const { peer } = request;
  const shared = new SharedWatches(
    ({ path, query, accept }, signal) =>
      open({ method: 'POST', path, query, headers: { accept }, body: new Uint8Array(0), signal, peer }, path),
    () => holdStream(session, refusal),
  );
  const close = session.openStream();
  session.keepShared(shared);
  const signal = AbortSignal.any([request.signal, session.signal]);
  const end = (): void => {
    session.shared.delete(shared.id);
    shared.close();
    close();
  };
  signal.addEventListener('abort', end, { once: true });
  const body = closing(shared.frames(), end);
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };
  return dataResponse({ status: 200, headers, body });
}

function holdStream(session: Session, refusal: (error: unknown) => ApiResponse): (() => void) | ApiResponse {
  try {
    return session.openStream();
  } catch (error) {
    return refusal(error);
  }
}

async function* closing(body: AsyncIterable<Uint8Array>, close: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    close();
  }
}

/**
 * Reads the path as the API reads it, so that no other spelling of one is judged differently. The response to the deletion of a
 * Secret may be the Secret, when it has finalizers: it is asked for without values.
 */
function checkPath(
  request: ApiRequest,
  target: Pick<ApiRequest, 'method' | 'path'>,
  query: URLSearchParams,
): RequestInfo {
  const info = infoOf(target, query);
  if (info.kind === 'path') return info;
  if (info.verb === 'proxy' || UNSUITABLE.has(info.subresource))
    throw notAllowed('containers and what they serve are not shown here');
  if (info.resource !== 'secrets' || info.verb === 'delete') return info;
  // The response to a write has the values as well: a user who edits a Secret has asked to see it.
  const isRevealed = single(request, REVEAL_HEADER) === '1' && isOneSecret(info, query);
  const isTableOfObjects = query.getAll('includeObject').some((value) => value !== 'None' && value !== 'Metadata');
  const hasValues = !WITHOUT_VALUES.test(single(request, 'accept') ?? '') || isTableOfObjects;
  if (hasValues && !isRevealed) throw notAllowed('values of Secrets are shown one Secret at a time, when asked for');
  return info;
}

function infoOf(target: Pick<ApiRequest, 'method' | 'path'>, query: URLSearchParams): RequestInfo {
  try {
    return readRequestInfo(target, query);
  } catch {
    throw notAllowed('the API has no such path');
  }
}

/** True for a named Secret, and for what creates one. */
function isOneSecret({ verb, name, namespace, group, subresource }: ResourceRequest, query: URLSearchParams): boolean {
  const isOne = verb === 'create' ? name === '' : name !== '' && verb !== 'watch';
  return isOne && namespace !== '' && group === '' && subresource === '' && !query.has('watch');
}

/** True for what the API might take for a watch. */
function isWatch(info: RequestInfo, query: URLSearchParams): boolean {
  const asked = query.getAll('watch');
  return (
    (info.kind === 'resource' && info.verb === 'watch') || asked.some((value) => value !== '0' && value !== 'false')
  );
}

function notAllowed(problem: string): ConsoleError {
  return new ConsoleError({ code: 'NotAllowed', problem });
}

interface Passing {
  readonly path: string;
  readonly query?: string;
  readonly method?: string;
  readonly signal?: AbortSignal;
  /** Form of the response, in place of the one that the page asks for. */
  readonly accept?: string;
}

/** A page's request as the API sees it. What the connection knows of its end and its memory stays. */
class PassedRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ApiRequest['headers'];
  readonly body: ApiRequest['body'];
  readonly peer: Peer;
  readonly canUpgrade = false;
  readonly onEnd: ApiRequest['onEnd'];
  readonly onTaken: ApiRequest['onTaken'];
  readonly #original: ApiRequest;
  readonly #signal: AbortSignal | undefined;

  constructor(original: ApiRequest, session: Session, { path, query, method, signal, accept }: Passing) {
    this.method = method ?? original.method;
    this.path = path;
    this.query = query ?? original.query;
    this.headers = { ...passedHeaders(original, session), ...(accept !== undefined && { accept }) };
    this.body = method === undefined ? original.body : new Uint8Array(0);
    this.peer = session.peerOf(original.peer);
    this.onEnd = signal === undefined ? original.onEnd : undefined;
    this.onTaken = original.onTaken;
    this.#original = original;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.#original.signal;
  }

  chargeTo(...args: Parameters<NonNullable<ApiRequest['chargeTo']>>): void {
    this.#original.chargeTo?.(...args);
  }
}

function passedHeaders(request: ApiRequest, { identity }: Session): ApiRequest['headers'] {
  const isReveal = single(request, REVEAL_HEADER) === '1';
  const headers: Record<string, string> = { 'user-agent': isReveal ? REVEAL_AGENT : USER_AGENT };
  for (const name of PASSED) {
    const value = single(request, name);
    if (value !== undefined) headers[name] = value;
  }
  if (identity.kind === 'token') headers.authorization = `Bearer ${identity.token}`;
  return headers;
}
