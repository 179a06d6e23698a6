import type { Duplex } from 'node:stream';
import type { ApiResponse } from '../../request/exchange.ts';
import type { OpenExchange } from '../open-exchange.ts';
import type { Frame } from './frames.ts';
import { CLOSE_CODES, encodeClose, encodeFrame, FrameError, FrameReader, OPCODES } from './frames.ts';
import type { Handshake } from './handshake.ts';

/** Clients of a watch have nothing to say but ping, pong and close. */
const MAX_FRAME_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Answers the handshake and sends a watch: each line of JSON, to its end, as one text frame, each chunk of protobuf, which is one
 * event, as one binary frame without its length. Resolves when the watch is over and the close is sent; the exchange is left when the client wants no more.
 */
export async function sendWatch(
  socket: Duplex,
  handshake: Handshake,
  response: ApiResponse & { readonly body: AsyncIterable<Uint8Array> },
  exchange: OpenExchange,
): Promise<void> {
  socket.write(`${switching(handshake, response).join('\r\n')}\r\n\r\n`);
  const closing = listen(socket, exchange.leave);
  const isText = String(response.headers['content-type']).startsWith('application/json');
  const messages = isText ? lines(response.body) : withoutLengths(response.body);
  const opcode = isText ? OPCODES.text : OPCODES.binary;
  for await (const message of messages) {
    if (exchange.isGone) break;
    if (!socket.write(encodeFrame(opcode, message))) await exchange.blocked((taken) => socket.once('drain', taken));
  }
  socket.end(encodeClose(closing.code));
}

function switching({ accept, protocol }: Handshake, { headers }: ApiResponse): string[] {
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    `Audit-Id: ${headers['audit-id'] ?? ''}`,
  ];
}

/** Answers pings, notes a close, and ends the conversation with whoever breaks the rules. */
function listen(socket: Duplex, leave: () => void): { code: number } {
  const closing: { code: number } = { code: CLOSE_CODES.normal };
  const reader = new FrameReader(MAX_FRAME_BYTES);
  const take = ({ opcode, payload }: Frame): void => {
    if (opcode === OPCODES.ping && socket.writableLength < MAX_FRAME_BYTES) {
      socket.write(encodeFrame(OPCODES.pong, payload));
    } else if (opcode === OPCODES.close) leave();
  };
  const read = (bytes: Uint8Array): void => {
    try {
      for (const frame of reader.push(bytes)) take(frame);
    } catch (error) {
      closing.code = error instanceof FrameError ? error.code : CLOSE_CODES.protocolError;
      socket.off('data', read);
      socket.resume();
      leave();
    }
  };
  socket.on('data', read);
  return closing;
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
