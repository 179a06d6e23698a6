import type { Eventual } from '@pintle/async';
import type { ApiResponse } from '../../request/exchange.ts';
import { asUtf8, PIECE_BYTES, pieces } from '../../request/outgoing.ts';
import { discard } from '../../request/sent.ts';
import type { OpenExchange } from '../open-exchange.ts';
import type { ServerStream } from './server-stream.ts';

const NOTHING = new Uint8Array(0);

/** Sends the answer, as `Http2Stream.answer` promises. */
export function sendOnStream(stream: ServerStream, answer: ApiResponse, exchange: OpenExchange): Eventual<void> {
  const { status, headers, body } = answer;
  if (stream.isClosed || exchange.isGone) return discard(answer);
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length);
  if (headers.warning !== undefined) headers.warning = asUtf8(headers.warning);
  if (stream.head.method === 'HEAD') {
    exchange.handOver();
    stream.respond(status, headers, NOTHING);
    return discard(answer);
  }
  if (body instanceof Uint8Array) exchange.hold(body.length);
  if (body instanceof Uint8Array && body.length <= PIECE_BYTES) {
    exchange.handOver();
    stream.respond(status, headers, body);
    return;
  }
  stream.onGone = answer.release;
  stream.respond(status, headers);
  return sendParts(stream, body instanceof Uint8Array ? pieces(body) : body, exchange);
}

async function sendParts(
  stream: ServerStream,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  exchange: OpenExchange,
): Promise<void> {
  for await (const part of parts) {
    if (exchange.isGone) break;
    if (!stream.write(part)) await exchange.blocked((taken) => stream.onceDrained(taken));
  }
  stream.end();
  await exchange.blocked((taken) => stream.onceDrained(taken));
  // The rest of the request is still to come.
  if (!stream.isClosed) exchange.handOver();
}
