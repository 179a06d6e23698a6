import type { Socket } from 'node:net';
import type { Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { Http1Agent } from './http1-agent.ts';
import { Http1Exchange } from './http1-exchange.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** HTTP/1.1 of Node.js. Keeps idle connections for the next request; every active request has its own connection. */
export class Http1Connections implements Connections {
  readonly #server: URL;
  readonly #agent: Http1Agent;
  readonly #exchanges = new Set<Http1Exchange>();
  #isClosed = false;

  /** `first` was opened to negotiate the protocol. */
  constructor(options: DialOptions, clock: Clock, first?: Socket) {
    this.#server = options.server;
    this.#agent = new Http1Agent({ ...options, idleClock: clock, first });
  }

  async send(request: TransportRequest, target: string): Promise<TransportResponse> {
    if (this.#isClosed) throw new ClientError({ code: 'Closed', what: 'the transport' });
    const exchange = new Http1Exchange({
      request,
      target,
      server: this.#server,
      agent: this.#agent,
      onEnd: (ended) => this.#exchanges.delete(ended),
    });
    const response = exchange.send();
    this.#exchanges.add(exchange);
    return await response;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Otherwise a body without a length would seem complete.
    for (const exchange of this.#exchanges) exchange.fail(new Error('the client closed the connection'));
    this.#agent.destroy();
  }
}
