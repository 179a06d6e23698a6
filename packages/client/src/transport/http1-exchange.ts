import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { deferred } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { Headers } from './header-syntax.ts';
import { addHeader, isTarget, MAX_INTERIMS, unfit } from './header-syntax.ts';
import type { Http1Agent, Use } from './http1-agent.ts';
import { inOurWords, streamBody } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Of all headers of a response, and of what follows its body. */
const MAX_HEAD_BYTES = 64 * 1024;

interface ExchangeOptions {
  readonly request: TransportRequest;
  readonly target: string;
  readonly server: URL;
  readonly agent: Http1Agent;
  /** It needs its connection no longer. */
  readonly onEnd: (exchange: Http1Exchange) => void;
}

/** One request and its response. A short response is given whole; a longer one is read as somebody wants its body. */
export class Http1Exchange implements Use {
  readonly #options: ExchangeOptions;
  readonly #answer = deferred<TransportResponse>();
  #request: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #interims = 0;
  #isSent = false;
  #isOver = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /** Called once. Throws when something of the request would be read as something else. */
  send(): Promise<TransportResponse> {
    const { signal, body } = this.#options.request;
    this.#request = start(this.#options)
      .once('socket', (socket) => this.#use(socket))
      .on('information', () => this.#countInterim())
      .once('upgrade', (_, socket) => {
        socket.destroy();
        this.fail(new Error('the server speaks another protocol, unasked'));
      })
      .once('response', (incoming) => this.#take(incoming))
      .on('error', (cause) => this.#break(cause))
      .once('close', () => this.#break(new Error('the connection was closed before the response was complete')));
    signal?.addEventListener('abort', this.#onAbort);
    this.#request.end(body);
    return this.#answer.promise;
  }

  get isAnswered(): boolean {
    return this.#incoming?.complete === true;
  }

  /** `Keep-Alive: timeout=5`. */
  get keptMs(): number | undefined {
    const said = this.#incoming?.headers['keep-alive'] ?? '';
    const seconds = /(?:^|[ ,])timeout=(\d{1,6})(?:$|[ ,])/i.exec(String(said))?.[1];
    return seconds === undefined ? undefined : Number(seconds) * 1_000;
  }

  /** The response will never be complete, and its connection is given up. Told again, or too late, it changes nothing. */
  fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#end();
    const { request, server } = this.#options;
    const failure = { code: 'Unreachable', server: server.origin, isSent: this.#isSent } as const;
    const error = cause instanceof ClientError ? cause : new ClientError(failure, { cause });
    this.#incoming?.destroy(cause instanceof Error ? cause : error);
    this.#request?.destroy();
    this.#answer.reject(request.signal?.aborted ? request.signal.reason : error);
  }

  #use(socket: Socket): void {
    if (socket.destroyed) this.fail(new Error('the connection was closed at once'));
    if (this.#isOver) return;
    this.#isSent = true;
    this.#options.agent.noteUse(socket, this);
  }

  #countInterim(): void {
    this.#interims++;
    if (this.#interims > MAX_INTERIMS) this.fail(new Error('the server sends too many interim responses'));
  }

  #take(incoming: IncomingMessage): void {
    this.#incoming = incoming;
    // Whoever reads the body hears of errors.
    incoming.on('error', () => undefined);
    incoming.once('end', () => {
      // A server that has answered wants no more of the request.
      if (!this.#request!.writableFinished) this.#request!.destroy();
      this.#end();
    });
    // All that came with the head is read by then.
    process.nextTick(() => this.#give(incoming));
  }

  #give(incoming: IncomingMessage): void {
    if (this.#isOver) return;
    const { server, request } = this.#options;
    const status = incoming.statusCode!;
    if (status < 200) {
      this.fail(new Error('the server speaks another protocol, unasked'));
      return;
    }
    const headers = headersOf(incoming);
    if (!incoming.complete) {
      const body = streamBody(incoming, server.origin, request.signal);
      this.#answer.resolve({ status, headers, body });
      return;
    }
    const body: Uint8Array = incoming.read() ?? Buffer.alloc(0);
    // By then Node has taken the connection back.
    incoming.once('end', () => this.#answer.resolve({ status, headers, body }));
  }

  /** The connection is of no more use. What came of it before is an answer if that was complete. */
  #break(cause: Error): void {
    if (this.isAnswered) return;
    this.fail(inOurWords(cause));
  }

  readonly #onAbort = (): void => this.fail(this.#options.request.signal!.reason);

  #end(): void {
    this.#isOver = true;
    this.#options.request.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.onEnd(this);
  }
}

/** A request of these without a body says so. */
const BODIED = new Set(['POST', 'PUT', 'PATCH']);

function start({ request, target, server, agent }: ExchangeOptions): ClientRequest {
  const { method, headers, body } = request;
  const length = body?.length ?? (BODIED.has(method) ? 0 : undefined);
  if (!isTarget(target)) throw unfit(target);
  try {
    return startRequest({
      agent,
      method,
      path: target,
      headers: { host: server.host, ...headers, ...(length !== undefined && { 'content-length': `${length}` }) },
      maxHeaderSize: MAX_HEAD_BYTES,
      insecureHTTPParser: false,
    });
  } catch (cause) {
    throw unfit(cause instanceof Error ? cause.message : method);
  }
}

/** As those of HTTP/2: Node joins or drops what comes several times in other ways. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    addHeader(headers, rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!);
  return headers;
}
