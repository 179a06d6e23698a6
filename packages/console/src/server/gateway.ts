import type { ApiRequest, ApiResponse, Peer } from '@pintle/apiserver';
import { REVEAL_AGENT, REVEAL_HEADER, USER_AGENT } from '../protocol.ts';
import { ConsoleError } from './errors.ts';
import { single } from './guard.ts';
import { dataResponse } from './responses.ts';
import type { Session } from './sessions.ts';

/** Answers requests to the API. */
export type Answer = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>;

/** Headers of a page's request that reach the API: none that names a user, and none that asks for another protocol. */
const PASSED = ['accept', 'accept-encoding', 'content-type', 'content-length', 'if-none-match'];
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Subresources that answer with what runs in containers or behind services: that could be a page. */
const UNSUITABLE =
  /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?:pods|services|nodes)\/[^/]+\/(?:proxy|exec|attach|portforward)(?:\/|$)/;
const SECRETS = /^\/api\/v1\/(?:watch\/)?(?:namespaces\/[^/]+\/)?secrets(?:\/|$)/;
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
  checkPath(request, path);
  if (isWatch(path, request.query)) throw notAllowed('watches are opened with POST /console/watch/…');
  return dataResponse(await answer(new PassedRequest(request, session, { path })));
}

/** Opens a watch for the page; it ends with the session. */
export async function openWatch(
  answer: Answer,
  session: Session,
  request: ApiRequest,
  path: string,
): Promise<ApiResponse> {
  checkPath(request, path);
  const query = new URLSearchParams(request.query);
  query.set('watch', '1');
  const close = session.openStream();
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

async function* closing(body: AsyncIterable<Uint8Array>, close: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    close();
  }
}

function checkPath(request: ApiRequest, path: string): void {
  const decoded = decodedPath(path);
  if (UNSUITABLE.test(decoded)) throw notAllowed('containers and what they serve are not shown here');
  if (!SECRETS.test(decoded) || request.method === 'DELETE') return;
  // The response to a write has the values as well: a user who edits a Secret has asked to see it.
  const isRevealed = single(request, REVEAL_HEADER) === '1' && isOneSecret(decoded, request.query);
  const hasValues =
    !WITHOUT_VALUES.test(single(request, 'accept') ?? '') || /includeObject=Object/i.test(request.query);
  if (hasValues && !isRevealed) throw notAllowed('values of Secrets are shown one Secret at a time, when asked for');
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw notAllowed('the path is not percent-encoded UTF-8');
  }
}

/** True for a named Secret, and for what creates one. */
function isOneSecret(path: string, query: string): boolean {
  return /^\/api\/v1\/namespaces\/[^/]+\/secrets(?:\/[^/]+)?$/.test(path) && !isWatch(path, query);
}

function isWatch(path: string, query: string): boolean {
  const asked = new URLSearchParams(query).get('watch');
  return (asked !== null && asked !== '0' && asked !== 'false') || /^\/apis?\/(?:[^/]+\/)?[^/]+\/watch\//.test(path);
}

function notAllowed(problem: string): ConsoleError {
  return new ConsoleError({ code: 'NotAllowed', problem });
}

interface Passing {
  readonly path: string;
  readonly query?: string;
  readonly method?: string;
  readonly signal?: AbortSignal;
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

  constructor(original: ApiRequest, session: Session, { path, query, method, signal }: Passing) {
    this.method = method ?? original.method;
    this.path = path;
    this.query = query ?? original.query;
    this.headers = passedHeaders(original, session);
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
