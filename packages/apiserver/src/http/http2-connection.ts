import type { Socket } from 'node:net';
import type { Eventual } from '@pintle/async';
import type { Reason } from '@pintle/http2';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { RequestHead } from './headers.ts';
import type { OpenExchange } from './http-exchange.ts';

/** A connection of HTTP/2 as the listener sees it, whichever implementation speaks on it. */
export interface Http2Connection {
  readonly socket: Socket;
  /** Whether no stream is open. */
  readonly isIdle: boolean;
  /** Notes that the client has authenticated. */
  markKnown(): void;
  /** Lets the streams there are finish, and takes no more. */
  close(): void;
  /** Ends when nothing was asked for since then; `firstMs`: when nothing ever was, and it is older than that. */
  closeIfIdleSince(timeMs: number, options?: { readonly firstMs?: number }): void;
}

/** A request and its answer on such a connection. */
export interface Http2Stream {
  readonly head: RequestHead;
  readonly body: Exclude<ApiRequest['body'], Uint8Array>;
  /** Called once, when nothing more can be sent or will come. */
  onClose: () => void;
  /**
   * Sends the answer. What is short is handed over at once: `onClose` tells when it is gone. Anything else resolves when the
   * last of it has been handed over, or the client is gone.
   */
  answer(answer: ApiResponse, exchange: OpenExchange): Eventual<void>;
  /** Gives it up. */
  reset(reason: Reason): void;
}

/** What a server tells its listener. */
export interface Http2Events {
  readonly onConnection: (connection: Http2Connection) => void;
  readonly onStream: (stream: Http2Stream, connection: Http2Connection) => void;
}
