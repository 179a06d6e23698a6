import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { WebSocketAnswer } from '../../request/exchange.ts';
import type { BareConnection } from '../join-connections.ts';

export interface AcceptOptions {
  readonly protocol?: string;
  readonly maxMessageBytes: number;
  /** Header lines for the response to the handshake. */
  readonly headers?: readonly string[];
}

/** Bytes waiting to be sent, beyond which pings are not answered. */
const MAX_UNSENT_PONG_BYTES = 64 * 1024;

/**
 * Parts of a message that arrives: each takes some 200 bytes besides its own, so that a megabyte in parts of one byte would hold 200.
 * Messages of Kubernetes' clients are not in fragments, and come in chunks of a kilobyte or more.
 */
const MAX_PARTS: object = { maxFragments: 256, maxBufferedChunks: 4_096 };

/** Answers a handshake. Returns `undefined` when `ws` refuses it, with an error response that ends the connection. */
export async function acceptWebSocket(
  request: IncomingMessage,
  { socket, head }: BareConnection,
  { protocol, maxMessageBytes, headers = [] }: AcceptOptions,
): Promise<WebSocket | undefined> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: maxMessageBytes,
    ...MAX_PARTS,
    handleProtocols: () => protocol ?? false,
  });
  server.on('headers', (lines) => lines.push(...headers));
  let accepted: WebSocket | undefined;
  server.handleUpgrade(request, socket, Buffer.from(head), (opened) => {
    accepted = opened;
  });
  accepted?.on('error', () => {});
  accepted?.on('ping', (data) => {
    if (accepted!.bufferedAmount < MAX_UNSENT_PONG_BYTES) accepted!.pong(data);
  });
  return accepted;
}

/** Opens the WebSocket of a response. Resolves once it is closed. */
export async function serveWebSocket(
  request: IncomingMessage,
  connection: BareConnection,
  { serve, ...options }: WebSocketAnswer,
): Promise<void> {
  const socket = await acceptWebSocket(request, connection, options);
  if (socket === undefined) return;
  const { createWebSocketStream } = await import('ws');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const messages = createWebSocketStream(socket, { readableObjectMode: true, readableHighWaterMark: 1 });
  const send = (message: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => socket.send(message, (error) => (error ? reject(error) : resolve())));
  serve({ messages, send, close: () => socket.close(1000) });
  await closed;
}
