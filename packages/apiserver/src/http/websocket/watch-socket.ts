import type { IncomingMessage } from 'node:http';
import type { ApiResponse } from '../../request/exchange.ts';
import { discard } from '../../request/exchange.ts';
import type { OpenExchange } from '../http-exchange.ts';
import type { BareConnection } from '../join-connections.ts';
import { acceptWebSocket } from './accept.ts';
import type { Handshake } from './handshake.ts';

/** Clients of a watch send nothing but ping, pong and close. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Bytes waiting to be sent, beyond which the next event waits. */
const MAX_UNSENT_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Answers the handshake and sends a watch: each line of JSON as one text message, and each chunk of protobuf, which is one
 * event, as one binary message without its length. Resolves when the watch has ended and the close was sent. Leaves the exchange
 * when the client is gone.
 */
export async function sendWatch(
  request: IncomingMessage,
  connection: BareConnection,
  { protocol }: Handshake,
  response: ApiResponse & { readonly body: AsyncIterable<Uint8Array> },
  exchange: OpenExchange,
): Promise<void> {
  const headers = [`Audit-Id: ${response.headers['audit-id'] ?? ''}`];
  const options = { maxMessageBytes: MAX_MESSAGE_BYTES, headers, ...(protocol !== undefined && { protocol }) };
  const socket = await acceptWebSocket(request, connection, options);
  if (socket === undefined) return await discard(response);
  socket.on('error', exchange.leave).on('close', exchange.leave);
  const isText = String(response.headers['content-type']).startsWith('application/json');
  for await (const message of isText ? lines(response.body) : withoutLengths(response.body)) {
    if (exchange.isGone) break;
    if (socket.bufferedAmount < MAX_UNSENT_BYTES) socket.send(message, { binary: !isText });
    else await exchange.blocked((taken) => socket.send(message, { binary: !isText }, taken));
  }
  socket.close(1000);
}

const LENGTH_BYTES = 4;

async function* withoutLengths(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield chunk.subarray(LENGTH_BYTES);
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let carried: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = chunk.subarray(start, end + 1);
      yield carried.length === 0 ? line : Buffer.concat([...carried, line]);
      carried = [];
      start = end + 1;
    }
    if (start < chunk.length) carried.push(chunk.subarray(start));
  }
  if (carried.length > 0) yield Buffer.concat(carried);
}
