import type { IncomingMessage } from 'node:http';
import { Agent, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import { dial } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { streamBody } from './stream-body.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Idle connections are kept for the next request; a request under way has one to itself. */
export class Http1Connections implements Connections {
  readonly #agent: Agent;
  readonly #server: URL;

  constructor(options: DialOptions, first: Socket) {
    this.#server = options.server;
    this.#agent = new DialingAgent(options, first);
  }

  send(request: TransportRequest, target: string): Promise<TransportResponse> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      let isSent = false;
      const outgoing = startRequest({
        agent: this.#agent,
        method: request.method,
        path: target,
        headers: { host: this.#server.host, ...copyHeaders(request) },
      });
      const onAbort = (): void => void outgoing.destroy(signal!.reason as Error);
      signal?.addEventListener('abort', onAbort);
      outgoing.once('socket', () => {
        isSent = true;
      });
      outgoing.on('error', (cause) => {
        signal?.removeEventListener('abort', onAbort);
        if (signal?.aborted) reject(signal.reason);
        else if (cause instanceof ClientError) reject(cause);
        else reject(new ClientError({ code: 'Unreachable', server: this.#server.origin, isSent }, { cause }));
      });
      outgoing.once('response', (incoming) => {
        const done = (): void => signal?.removeEventListener('abort', onAbort);
        resolve(toResponse(incoming, this.#server.origin, signal, done));
      });
      outgoing.end(request.body);
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
  }
}

/** Opens connections as we dial them; the first is open already. */
class DialingAgent extends Agent {
  readonly #options: DialOptions;
  #spare: Socket | undefined;

  constructor(options: DialOptions, first: Socket) {
    super({ keepAlive: true, maxFreeSockets: 16 });
    this.#options = options;
    this.#spare = first;
  }

  override createConnection(
    _request: object,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined && !spare.destroyed) return spare;
    const report = callback as (error: Error | null, socket?: Duplex) => void;
    dial(this.#options).then((socket) => report(null, socket), report);
    return undefined;
  }
}

function toResponse(
  incoming: IncomingMessage,
  server: string,
  signal: AbortSignal | undefined,
  done: () => void,
): TransportResponse {
  incoming.once('close', done);
  return {
    status: incoming.statusCode ?? 0,
    headers: { ...incoming.headers, ...(incoming.headers.warning && { warning: warnings(incoming) }) },
    body: streamBody(incoming, server, signal),
  };
}

/** Node joins warnings by commas, which may stand inside them. */
function warnings({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'warning');
}

function copyHeaders({ headers = {}, body }: TransportRequest): Record<string, string | string[]> {
  const copied: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) copied[name] = typeof value === 'string' ? value : [...value];
  if (body) copied['content-length'] = String(body.length);
  return copied;
}
