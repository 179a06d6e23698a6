import type { Socket } from 'node:net';
import type { Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { DialOptions } from './dial.ts';
import type { Connections } from './http-transport.ts';
import { Http1Agent } from './http1-agent.ts';
import { Http1Exchange } from './http1-exchange.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Node's HTTP/1.1. Idle connections are kept for the next request; a request under way has one to itself. */
export class Http1Connections implements Connections {
  readonly #server: URL;
  readonly #agent: Http1Agent;
  readonly #exchanges = new Set<Http1Exchange>();
  #isClosed = false;

  /** `first`: was opened to find out how to talk. */
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
    const answering = exchange.send();
    this.#exchanges.add(exchange);
    return await answering;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // A body without a length would otherwise end as if it were whole.
    for (const exchange of this.#exchanges) exchange.fail(new Error('the connection was closed here'));
    this.#agent.destroy();
  }
}
