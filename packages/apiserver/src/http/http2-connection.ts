import type { Socket } from 'node:net';
import type { Eventual } from '@pintle/async';
import type { Reason } from '@pintle/http2';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import type { RequestHead } from './headers.ts';
import type { OpenExchange } from './http-exchange.ts';

/** An HTTP/2 connection as the listener sees it, of either implementation. */
export interface Http2Connection {
  readonly socket: Socket;
  /** True when no stream is open. */
  readonly isIdle: boolean;
  /** Marks the client as authenticated. */
  markKnown(): void;
  /** Refuses new streams, and ends the connection after the open ones. */
  close(): void;
  /** Closes a connection that is idle since `timeMs`, or since `firstMs` when it never had a request. */
  closeIfIdleSince(timeMs: number, options?: { readonly firstMs?: number }): void;
}

/** A request and its response on such a connection. */
export interface Http2Stream {
  readonly head: RequestHead;
  readonly body: Exclude<ApiRequest['body'], Uint8Array>;
  /** Called once, when nothing more can be sent or received. */
  onClose: () => void;
  /**
   * Sends the response. A short one is written at once; `onClose` is called when it has left. Otherwise resolves when the last
   * part has been written, or the client is gone.
   */
  answer(response: ApiResponse, exchange: OpenExchange): Eventual<void>;
  /** Resets the stream. */
  reset(reason: Reason): void;
}

/** Callbacks of a server to its listener. */
export interface Http2Events {
  readonly onConnection: (connection: Http2Connection) => void;
  readonly onStream: (stream: Http2Stream, connection: Http2Connection) => void;
}
