import { join } from 'node:path';
import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import { clientNameOf } from '@pintle/apiserver/request';
import type { Clock } from '@pintle/async';
import type { LinkInfo, Login, SessionInfo } from '../protocol.ts';
import { BASE, OBSERVE_VERB, PATHS } from '../protocol.ts';
import { Bodies } from './bodies.ts';
import { ConsoleError } from './errors.ts';
import type { Answer } from './gateway.ts';
import { openShared, openWatch, passOn } from './gateway.ts';
import { Hosts, requireNoBrowser, requireSameOrigin, single } from './guard.ts';
import type { PendingLink } from './links.ts';
import { LINK_LIFE_MS, Links } from './links.ts';
import { dataResponse, jsonResponse } from './responses.ts';
import { mayMakeLinks, mayObserve, whoIs } from './reviews.ts';
import type { Identity, Session } from './sessions.ts';
import { cookieNameOf, cookieOf, Sessions, sessionIdOf } from './sessions.ts';
import { watchChangeIn } from './shared-watches.ts';
import { StaticFiles } from './static-files.ts';

export interface ConsoleOptions {
  /** The API, which judges every request. */
  readonly answer: Answer;
  readonly clock: Clock;
  /** The server's certificate of the moment, in PEM: its names are where the console may be looked at. */
  readonly certificate: () => string;
  /** The address that the server listens on. */
  readonly address: string;
  /** Version of the server. */
  readonly version: string;
  /** Told of errors that no request can explain. */
  readonly onError?: (error: unknown, path: string) => void;
  /** Links that were printed before this was loaded. */
  readonly links?: readonly PendingLink[];
  /** Reports on controllers, queues and requests. Default: none. */
  readonly telemetry?: Telemetry;
  /** Where the built page is. */
  readonly folder?: string;
}

/** Queues, reconciles, requests and watches, which the API does not have. */
export interface Telemetry {
  /** Yields lines of JSON, as `TelemetryEvent`s, until `signal` aborts. */
  open(options: { readonly signal: AbortSignal }): AsyncIterable<Uint8Array>;
}

const MAX_LOGIN_BYTES = 16 * 1024;
const MAX_CHANGE_BYTES = 1024 * 1024;
/** Bytes of logins that are arriving from anybody, and of changes from all sessions together. */
const MAX_LOGINS_BYTES = 1024 * 1024;
const MAX_CHANGES_BYTES = 16 * 1024 * 1024;
const FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'web');

/**
 * Serves everything below /console, in this order:
 *
 *     host ► session ► /console/link            command line, with a credential of the API
 *                    ► /console/session         log in, log out, who am I
 *                    ► /console/api, /watch     the API as the session's user          ┐ same-origin
 *                    ► /console/watches         many watches in one stream             │ fetches only
 *                    ► /console/stream          telemetry                              ┘
 *                    ► files of the page
 */
export class ConsoleHandler {
  readonly #options: ConsoleOptions;
  readonly #hosts: Hosts;
  readonly #links: Links;
  readonly #sessions: Sessions;
  readonly #files: StaticFiles;
  /** Apart, so that unauthenticated clients cannot have the changes of users refused. */
  readonly #logins = new Bodies(MAX_LOGINS_BYTES);
  readonly #changes = new Bodies(MAX_CHANGES_BYTES);

  private constructor(options: ConsoleOptions, files: StaticFiles) {
    this.#options = options;
    this.#hosts = new Hosts(options.certificate, options.address);
    this.#links = new Links(options.clock, options.links);
    this.#sessions = new Sessions(options.clock);
    this.#files = files;
  }

  static async open(options: ConsoleOptions): Promise<ConsoleHandler> {
    return new ConsoleHandler(options, await StaticFiles.open(options.folder ?? FOLDER));
  }

  /** Answers a request for a path below /console. Never rejects. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const cookie = cookieNameOf(single(request, 'host') ?? '');
    const id = sessionIdOf(cookie, single(request, 'cookie'));
    const session = this.#sessions.find(id);
    const response = await this.#answer(request, id, session).catch((error: unknown) => {
      if (!(error instanceof ConsoleError)) this.#options.onError?.(error, request.path);
      return refusal(error);
    });
    // As everywhere, a connection without a known user is not kept, unless it gets files, which come many at a time.
    if (session === undefined && request.path !== PATHS.link) response.headers.connection ??= 'close';
    return response;
  }

  async #answer(request: ApiRequest, id: string | undefined, session: Session | undefined): Promise<ApiResponse> {
    const host = this.#hosts.require(request);
    const { path, method } = request;
    if (path === PATHS.link) return await this.#makeLink(request);
    if (path === PATHS.session) return await this.#session(request, host, id, session);
    const { answer } = this.#options;
    const api = below(PATHS.api, path);
    if (api !== undefined) {
      requireSameOrigin(request, host, { isOriginSent: method !== 'GET' });
      const response = await passOn(answer, required(session), request, api);
      if (response.status === 401 && id !== undefined) this.#sessions.end(id);
      return response;
    }
    const watched = below(PATHS.watch, path);
    const isShared = path === PATHS.watches || below(PATHS.watches, path) !== undefined;
    if (watched !== undefined || isShared || path === PATHS.stream) {
      requireMethod(method, 'POST');
      requireSameOrigin(request, host, { isOriginSent: true });
      if (isShared) return await this.#shared(request, required(session));
      if (watched === undefined) return await this.#stream(request, required(session));
      return await openWatch(answer, required(session), request, watched);
    }
    const file = await this.#file(request);
    if (session === undefined && file.status < 400) file.headers.connection = 'keep-alive';
    return file;
  }

  /** For `pintle console`: a user who may make links gets one that logs them in as themselves. */
  async #makeLink(request: ApiRequest): Promise<ApiResponse> {
    requireMethod(request.method, 'POST');
    requireNoBrowser(request);
    const { answer } = this.#options;
    const { peer, signal } = request;
    const shown = { peer, signal, authorization: single(request, 'authorization') };
    const user = await whoIs(answer, shown);
    if (user === undefined) throw new ConsoleError({ code: 'NoSession' });
    if (!(await mayMakeLinks(answer, shown))) {
      throw new ConsoleError({ code: 'NotAllowed', problem: `${user.username} may not post ${PATHS.link}` });
    }
    const path = `${BASE}/#link=${this.#links.create(user)}`;
    return jsonResponse(201, { path, expiresInSeconds: LINK_LIFE_MS / 1000 } satisfies LinkInfo);
  }

  async #session(
    request: ApiRequest,
    host: string,
    id: string | undefined,
    session: Session | undefined,
  ): Promise<ApiResponse> {
    requireSameOrigin(request, host, { isOriginSent: request.method !== 'GET' });
    switch (request.method) {
      case 'GET':
        return jsonResponse(200, this.#infoOf(session, host));
      case 'DELETE':
        if (id !== undefined) this.#sessions.end(id);
        return jsonResponse(200, this.#infoOf(undefined, host), {
          'set-cookie': cookieOf(cookieNameOf(host), undefined),
        });
      case 'POST': {
        const identity = await this.#identityOf(request, await this.#readLogin(request));
        if (id !== undefined) this.#sessions.end(id);
        const begun = this.#sessions.begin(identity);
        return jsonResponse(201, this.#infoOf(begun.session, host), {
          'set-cookie': cookieOf(cookieNameOf(host), begun.id),
        });
      }
      default:
        throw new ConsoleError({ code: 'WrongMethod', method: request.method });
    }
  }

  async #readLogin(request: ApiRequest): Promise<Login> {
    const read = await this.#logins.readJson(request, { holder: '', maxBytes: MAX_LOGIN_BYTES });
    const { link, token } = (read ?? {}) as Record<string, unknown>;
    return { ...(typeof link === 'string' && { link }), ...(typeof token === 'string' && { token }) };
  }

  async #identityOf({ peer, signal }: ApiRequest, { link, token }: Login): Promise<Identity> {
    if (link !== undefined) {
      const user = this.#links.redeem(link);
      if (user === undefined) throw badLogin('the link was used already, or is too old. Run: pintle console');
      return { kind: 'user', user };
    }
    if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) throw badLogin('that is no token');
    const { address } = peer;
    const user = await whoIs(this.#options.answer, { peer: { address }, signal, authorization: `Bearer ${token}` });
    if (user === undefined) throw badLogin('the server does not know that token');
    return { kind: 'token', token, user };
  }

  #infoOf(session: Session | undefined, host: string): SessionInfo {
    const user = session?.identity.user;
    return {
      ...(user && { user: { username: user.username, groups: user.groups } }),
      server: { host, version: this.#options.version },
      hasTelemetry: this.#options.telemetry !== undefined,
    };
  }

  async #stream(request: ApiRequest, session: Session): Promise<ApiResponse> {
    const { telemetry } = this.#options;
    if (telemetry === undefined) throw new ConsoleError({ code: 'NotFound', path: PATHS.stream });
    const { peer, identity } = { peer: session.peerOf(request.peer), identity: session.identity };
    const authorization = identity.kind === 'token' ? `Bearer ${identity.token}` : undefined;
    if (!(await mayObserve(this.#options.answer, { peer, signal: request.signal, authorization }))) {
      const { username } = identity.user;
      throw new ConsoleError({ code: 'NotAllowed', problem: `${username} may not ${OBSERVE_VERB} ${PATHS.stream}` });
    }
    const close = session.openStream();
    const signal = AbortSignal.any([request.signal, session.signal]);
    signal.addEventListener('abort', close, { once: true });
    const body = telemetry.open({ signal });
    const headers = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' };
    return dataResponse({ status: 200, headers, body });
  }

  /** Opens a stream for many watches, or changes what is in one. */
  async #shared(request: ApiRequest, session: Session): Promise<ApiResponse> {
    const name = below(PATHS.watches, request.path);
    if (name === undefined) {
      const { answer } = this.#options;
      const open = (each: ApiRequest, path: string): Promise<ApiResponse> =>
        openWatch(answer, session, each, path, { isCounted: false }).catch(refusal);
      return openShared(session, request, open, refusal);
    }
    const stream = session.shared.get(name.slice(1));
    if (stream === undefined) throw new ConsoleError({ code: 'NotFound', path: request.path });
    const holder = clientNameOf(session.identity.user, {});
    const change = watchChangeIn(await this.#changes.readJson(request, { holder, maxBytes: MAX_CHANGE_BYTES }));
    if (change === undefined) throw new ConsoleError({ code: 'BadBody', problem: 'it names no watches' });
    stream.change(change);
    return jsonResponse(200, {});
  }

  async #file(request: ApiRequest): Promise<ApiResponse> {
    const { path, method } = request;
    if (method !== 'GET' && method !== 'HEAD') throw new ConsoleError({ code: 'WrongMethod', method });
    if (path === BASE) return jsonResponse(308, {}, { location: `${BASE}/` });
    const name = path.slice(BASE.length + 1);
    const file = await this.#files.serve(request, name);
    if (file !== undefined) return file;
    // The page's own addresses have no dots in their first part; a file that is missing is missing.
    if (name.startsWith('assets/')) throw new ConsoleError({ code: 'NotFound', path });
    if (!this.#files.isBuilt) return jsonResponse(503, { message: 'The console is not built: run npm run build' });
    return await this.#files.page();
  }
}

/** The rest of a path below a prefix, with its slash. */
function below(prefix: string, path: string): string | undefined {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
}

function required(session: Session | undefined): Session {
  if (session === undefined) throw new ConsoleError({ code: 'NoSession' });
  return session;
}

function requireMethod(method: string, only: string): void {
  if (method !== only) throw new ConsoleError({ code: 'WrongMethod', method });
}

function badLogin(problem: string): ConsoleError {
  return new ConsoleError({ code: 'BadLogin', problem });
}

/** Errors become a Status, which the page reads as it reads those of the API. */
function refusal(error: unknown): ApiResponse {
  const isKnown = error instanceof ConsoleError;
  const code = isKnown ? error.status : 500;
  const message = isKnown ? error.message : 'Cannot answer: an unexpected error';
  const reason = isKnown ? error.failure.code : 'InternalError';
  return jsonResponse(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code });
}
