import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import { onAbort, readRequestInfo, textResponse } from '@pintle/apiserver/request';
import { TurnQueue } from '@pintle/async';
import { CONNECTION_HEADER, encodePeer, PEER_HEADER } from '../workers/peer-header.ts';

/** Segments in the paths of requests that only the main process can serve. Any other request is told by a look. */
const CANDIDATE = /\/(?:attach|console|exec|log|metrics|pintle|portforward|proxy)|%/;
const PATHS = /^\/(?:metrics|console(?:\/.*)?|pintle\/.*)$/s;
/** Subresources that reach nodes and what runs there. */
const SUBRESOURCES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['pods', new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])],
  ['services', new Set(['proxy'])],
  ['nodes', new Set(['proxy'])],
]);
const NO_QUERY = new URLSearchParams();

/** True for requests that only the main process can serve: it has the nodes, the console, and the metrics of all. */
export function isForMain(request: Pick<ApiRequest, 'method' | 'path'>): boolean {
  if (!CANDIDATE.test(request.path)) return false;
  try {
    const info = readRequestInfo(request, NO_QUERY);
    if (info.kind === 'path') return PATHS.test(info.path);
    const subresources = info.group === '' ? SUBRESOURCES.get(info.resource) : undefined;
    return subresources !== undefined && (info.verb === 'proxy' || subresources.has(info.subresource));
  } catch {
    return false;
  }
}

/** Headers of one connection, and those that name the client, which only this process may set. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  PEER_HEADER,
  CONNECTION_HEADER,
]);
const NOTHING = new Uint8Array();

/** Requests that are passed on in one turn of the event loop. Others wait for the next, clients in turns. */
const PER_TURN = 8;
/**
 * Requests of unknown clients that are passed on, each of which has a connection and buffers here. Beyond it the oldest ends: its
 * client takes longer than any page does.
 */
const MAX_UNKNOWN = 512;

/** Requests that wait for their turn: without a credential, and in all. More are refused. */
const MAX_WAITING_UNKNOWN = 1_024;
const MAX_WAITING = 10_000;

/**
 * Passes requests on to the main process, which knows their clients: it authenticates, authorizes and audits them, and its limits
 * are those of known clients. Unknown ones can hold few requests here.
 */
export class PassedRequests {
  readonly #mainPath: string;
  readonly #turns = new TurnQueue(PER_TURN);
  /** Oldest first. */
  readonly #unknown = new Set<ClientRequest>();
  #waiting = 0;
  #waitingUnknown = 0;

  constructor(mainPath: string) {
    this.#mainPath = mainPath;
  }

  /** Passes a request on as it came, with its client. Responds with what the main process answers. */
  async passOn(request: ApiRequest): Promise<ApiResponse> {
    try {
      const credential = credentialOf(request);
      const isUnknown = credential === '';
      if (this.#waiting >= MAX_WAITING || (isUnknown && this.#waitingUnknown >= MAX_WAITING_UNKNOWN)) return refusal();
      await this.#wait(credential);
      const { response, upgraded } = await this.#send(request, { isUnknown });
      if (upgraded !== undefined) {
        const { upgrade = '' } = response.headers;
        return {
          status: 101,
          headers: { ...headersOf(response), connection: 'Upgrade', upgrade },
          body: NOTHING,
          upgraded,
        };
      }
      return {
        status: response.statusCode ?? 500,
        headers: headersOf(response),
        body: response,
        isProxyResponse: true,
      };
    } catch (error) {
      request.signal.throwIfAborted();
      return textResponse(503, `Cannot reach the main process: ${(error as Error).message}\n`);
    }
  }

  async #wait(credential: string): Promise<void> {
    const unknown = credential === '' ? 1 : 0;
    this.#waiting++;
    this.#waitingUnknown += unknown;
    await this.#turns.wait(credential);
    this.#waiting--;
    this.#waitingUnknown -= unknown;
  }

  /** `isUnknown`: it has nothing that the main process could know its client by. */
  #send(request: ApiRequest, { isUnknown }: { readonly isUnknown: boolean }): Promise<Answer> {
    const { method, path, query, body, signal } = request;
    return new Promise((resolve, reject) => {
      const sent = requestHttp({
        socketPath: this.#mainPath,
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: passedHeaders(request),
        agent: false,
        setHost: false,
      });
      if (isUnknown) this.#addUnknown(sent);
      const listening = onAbort(signal, () => sent.destroy());
      const answer = (found: Answer): void => {
        if (isKnown(found.response)) this.#unknown.delete(sent);
        else if (!isUnknown) this.#addUnknown(sent);
        resolve(found);
      };
      sent.on('response', (response) => answer({ response }));
      sent.on('upgrade', (response, socket, head) => answer({ response, upgraded: { socket, head } }));
      sent.on('error', reject);
      sent.on('close', () => {
        this.#unknown.delete(sent);
        listening();
        reject(new Error('it has closed the connection'));
      });
      if (body instanceof Uint8Array) sent.end(body);
      else
        Readable.from(body)
          .on('error', (error) => sent.destroy(error))
          .pipe(sent);
    });
  }

  #addUnknown(sent: ClientRequest): void {
    const [oldest] = this.#unknown;
    if (oldest !== undefined && this.#unknown.size >= MAX_UNKNOWN) {
      this.#unknown.delete(oldest);
      oldest.destroy(new Error('too many clients are not known'));
    }
    this.#unknown.add(sent);
  }
}

/** The connection ends, as any of a client that is not known. */
function refusal(): ApiResponse {
  return textResponse(429, 'Too many requests, please try again later.\n', { 'retry-after': '1', connection: 'close' });
}

interface Answer {
  readonly response: IncomingMessage;
  readonly upgraded?: { readonly socket: Duplex; readonly head: Uint8Array };
}

/** The main process says what becomes of a connection when it does not know the client, or answers anybody. */
function isKnown({ statusCode, headers }: IncomingMessage): boolean {
  return headers[CONNECTION_HEADER] === undefined && statusCode !== 401;
}

/** Returns what tells clients apart that take turns. Only the main process decides whether it is valid. */
function credentialOf({ headers, peer }: ApiRequest): string {
  const { authorization, cookie } = headers;
  const certificate = peer.certificate && Buffer.from(peer.certificate).toString('latin1');
  return String(authorization ?? certificate ?? cookie ?? '');
}

function passedHeaders(request: ApiRequest): OutgoingHttpHeaders {
  // Without a prototype, because clients choose the names.
  const headers: OutgoingHttpHeaders = Object.create(null);
  // Headers that `Connection` names are passed on, as this process would read them itself: a client could otherwise remove those
  // in which a proxy names its user.
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || NOT_PASSED.has(name)) continue;
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  // A body that is not read, as that of a GET, has another length than the client said.
  if (request.body instanceof Uint8Array) delete headers['content-length'];
  headers[PEER_HEADER] = encodePeer(request.peer);
  const { upgrade } = request.headers;
  if (request.canUpgrade && typeof upgrade === 'string') {
    headers.connection = 'Upgrade';
    headers.upgrade = upgrade;
  } else headers.connection = 'close';
  return headers;
}

function headersOf({ headers: answered }: IncomingMessage): ApiResponse['headers'] {
  const headers: ApiResponse['headers'] = {};
  for (const [name, value] of Object.entries(answered))
    if (value !== undefined && !NOT_PASSED.has(name)) headers[name] = value;
  const connection = answered[CONNECTION_HEADER];
  if (connection !== undefined) headers.connection = connection;
  return headers;
}
