import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { realClock, SeededRandom } from '@pintle/async';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  frameOf,
  HEAD_BYTES,
  headersFrames,
  pingFrame,
  settingsFrame,
} from '@pintle/http2';
import { expect, test } from 'vitest';
import { ClientError } from '../../errors.ts';
import { readAll } from '../transport.ts';
import { Http2Connection } from './http2-connection.ts';
import { requestFieldsOf } from './request-fields.ts';

const server = new URL('http://server');
const request = { method: 'PUT', path: '/', body: Buffer.alloc(100_000) };

/** A connection whose other end is this program: what it is given has come from the server. */
function open() {
  let take: (bytes: Buffer) => void = () => undefined;
  const quiet = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const socket = Object.assign(quiet, { ref: () => quiet, unref: () => quiet }) as unknown as Socket;
  const listen = (listener: typeof take): void => {
    take = listener;
  };
  const dialed = { socket, protocol: 'h2', listen };
  const connection = new Http2Connection({ server, dialed, clock: realClock, onClose: () => undefined });
  connection.open();
  return { connection, give: (bytes: Buffer) => take(bytes) };
}

/** Answers to two requests, one in parts, and everything else that a server may send. */
function conversation(): Buffer {
  const fields = [
    [':status', '200'],
    ['content-length', '8'],
    ['set-cookie', 'a'],
  ] as const;
  const trailers = encodeHeaders([['x-after', 'b']]);
  return Buffer.concat([
    settingsFrame([
      [3, 100],
      [4, 70_000],
    ]),
    pingFrame(Buffer.alloc(8)),
    frame(FRAME.windowUpdate, 0, 0, '\u0000\u0000\u0001\u0000'),
    ...headersFrames(1, encodeHeaders(fields), false),
    ...headersFrames(3, encodeHeaders([[':status', '103']]), false),
    frame(FRAME.data, FLAG.padded, 1, '\u0002halfXX'),
    ...headersFrames(3, encodeHeaders([[':status', '404']]), false),
    frame(FRAME.data, 0, 3, 'none'),
    frame(FRAME.data, FLAG.endStream, 1, 'half'),
    ...headersFrames(3, trailers, true),
    frame(FRAME.goAway, 0, 0, '\u0000\u0000\u0000\u0003\u0000\u0000\u0000\u0000'),
  ]);
}

function frame(type: number, flags: number, streamId: number, text: string): Buffer {
  const whole = frameOf({ type, flags, streamId }, text.length);
  whole.write(text, HEAD_BYTES, 'latin1');
  return whole;
}

/** Some bytes are others, and some are gone, or come twice. */
function spoil(bytes: Buffer, random: SeededRandom): Buffer {
  const spoilt = Buffer.from(bytes);
  const below = (end: number) => Math.floor(random.next() * end);
  for (let count = below(4); count > 0; count--) spoilt[below(spoilt.length)] = below(256);
  const [from, to] = [below(spoilt.length), below(spoilt.length)];
  return random.next() < 0.5 ? spoilt : Buffer.concat([spoilt.subarray(0, from), spoilt.subarray(to)]);
}

test('whatever a server sends, a request has an answer or an error', async () => {
  const whole = conversation();
  const seen = new Set<string>();
  for (let seed = 0; seed < 2_000; seed++) {
    const random = new SeededRandom(seed);
    const { connection, give } = open();
    const answers = [1, 2].map(async () => {
      const response = await connection.send(request, requestFieldsOf(request, '/', server));
      return `${response.status} ${Buffer.from(await readAll(response)).toString()}`;
    });
    const outcomes = answers.map((answer) => answer.catch((error: unknown) => error));
    const bytes = seed === 0 ? whole : spoil(whole, random);
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + Math.floor(random.next() * 60);
      give(bytes.subarray(at, end));
      if (random.next() < 0.1) await new Promise((resolve) => setImmediate(resolve));
      at = end;
    }
    connection.close();
    for (const outcome of await Promise.all(outcomes)) {
      if (typeof outcome !== 'string') expect(outcome, `seed ${seed}`).toBeInstanceOf(ClientError);
      seen.add(typeof outcome === 'string' ? outcome : 'error');
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining(['200 halfhalf', '404 none', 'error']));
});
