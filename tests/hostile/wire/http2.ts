import type { TLSSocket } from 'node:tls';
import { realClock } from '@pintle/async';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  FrameReader,
  frameOf,
  HEAD_BYTES,
  HeaderBlocks,
  headersFrames,
  PREFACE,
  settingsFrame,
} from '@pintle/http2';
import type { Answer, Target } from '../target.ts';
import { connectTo } from './connect.ts';
import type { FieldRequest } from './http1.ts';

const WAIT_MS = 10_000;
const STREAM_ID = 1;

/** Sends one request over HTTP/2 on a connection of its own. Method and fields need not be those of HTTP. */
export async function sendHttp2(target: Target, request: FieldRequest): Promise<Answer> {
  const socket = await connectTo(target, 'h2');
  const answered = answerOn(socket);
  socket.write(Buffer.concat([PREFACE, settingsFrame([]), ...framesOf(STREAM_ID, request)]));
  const timer = realClock.setTimer(WAIT_MS, () => socket.destroy());
  const answer = await answered;
  timer.cancel();
  socket.destroy();
  return answer;
}

/** The frames of a request. */
export function framesOf(streamId: number, { method, target, fields, body }: FieldRequest): Buffer[] {
  const block = encodeHeaders([
    [':method', method],
    [':scheme', 'https'],
    [':authority', 'hostile'],
    [':path', target],
    ...fields.map(([name, value]): [string, string] => [name.toLowerCase(), value]),
  ]);
  const head = headersFrames(streamId, block, body === undefined);
  return body === undefined ? head : [...head, dataFrame(streamId, Buffer.from(body))];
}

function dataFrame(streamId: number, bytes: Buffer): Buffer {
  const frame = frameOf({ type: FRAME.data, flags: FLAG.endStream, streamId }, bytes.length);
  frame.set(bytes, HEAD_BYTES);
  return frame;
}

/** The answer on the first stream; status 0 when it was reset or the connection ended. */
function answerOn(socket: TLSSocket): Promise<Answer> {
  const blocks = new HeaderBlocks();
  let status = 0;
  let text = '';
  return new Promise((resolve) => {
    const finish = (): void => resolve({ status, text });
    const reader = new FrameReader({
      frame: ({ type, flags, streamId }, payload) => {
        if (type === FRAME.headers || type === FRAME.continuation) {
          const block = blocks.take({ type, flags, streamId }, payload);
          const found = block?.fields?.find(([name]) => name === ':status')?.[1];
          if (found !== undefined) status = Number(found);
          if (block?.isLast) finish();
        } else if (type === FRAME.reset) finish();
      },
      dataBegins: () => {},
      data: (bytes) => {
        text += bytes.toString('latin1');
      },
      dataEnds: (isLast) => isLast && finish(),
    });
    socket.on('data', (bytes: Buffer) => reader.read(bytes));
    socket.once('close', finish);
  });
}
