import { Duplex, PassThrough } from 'node:stream';
import { IncomingBody, ServerConnection } from '@pintle/apiserver/testing';
import { SteppedClock, yieldToEventLoop } from '@pintle/async';
import { encodeHeaders, headersFrames, PREFACE, settingsFrame } from '@pintle/http2';
import { beforeEach, describe, expect, test } from 'vitest';
import { dataFrame, POST } from '../../testing/http2-peer.ts';

const KIB = 1024;
const clock = new SteppedClock();

/** A client whose bytes are all there, as many as the server takes. */
class EagerClient extends Duplex {
  readBytes = 0;
  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done();
  }
}

function connect(onBody: (bytes: number) => void = () => {}): EagerClient {
  const client = new EagerClient();
  new ServerConnection(client as unknown as ConstructorParameters<typeof ServerConnection>[0], {
    clock,
    maxHeaderBytes: 64 * KIB,
    onStream: async (stream) => onBody((await stream.body.collect(4096 * KIB))?.length ?? -1),
  });
  client.on('data', (bytes: Buffer) => {
    client.readBytes += bytes.length;
  });
  client.push(Buffer.concat([PREFACE, settingsFrame([])]));
  return client;
}

/** A POST with a body of 64 KiB that arrives in one read. */
function upload(streamId: number): Buffer {
  const pieces = [0, 1, 2, 3].map((i) => dataFrame(streamId, Buffer.alloc(16 * KIB), { isLast: i === 3 }));
  return Buffer.concat([...headersFrames(streamId, encodeHeaders(POST), false), ...pieces]);
}

beforeEach(() => yieldToEventLoop());

describe('connections of HTTP/2', () => {
  test('that bring much leave a turn to others, and lose nothing', async () => {
    const bodies: number[] = [];
    const client = connect((bytes) => bodies.push(bytes));
    for (let i = 0; i < 14; i++) client.push(upload(2 * i + 1));
    expect(client.readBytes).toBeLessThan(400 * KIB);
    let turns = 0;
    for (; bodies.length < 14 && turns < 100; turns++) {
      const before = client.readBytes;
      await yieldToEventLoop();
      expect(client.readBytes - before).toBeLessThan(400 * KIB);
    }
    expect(bodies).toEqual(Array.from({ length: 14 }, () => 64 * KIB));
    expect(turns).toBeGreaterThan(1);
  });

  test('that are many bring one read each when all together bring much', async () => {
    const clients = Array.from({ length: 60 }, () => connect());
    await yieldToEventLoop();
    for (let i = 0; i < 3; i++) for (const client of clients) client.push(upload(2 * i + 1));
    const readBytes = clients.reduce((sum, client) => sum + client.readBytes, 0);
    expect(readBytes).toBeLessThan((4096 + 60 * 65) * KIB);
    for (let turns = 0; turns < 100; turns++) await yieldToEventLoop();
    for (const client of clients) expect(client.readBytes).toBeGreaterThan(3 * 64 * KIB);
  });
});

test('a body over HTTP/1.1 that brings much leaves a turn to others, and loses nothing', async () => {
  const source = new PassThrough({ highWaterMark: 16 * 1024 * KIB });
  let readBytes = 0;
  source.on('data', (bytes: Buffer) => {
    readBytes += bytes.length;
  });
  const body = new IncomingBody(source, undefined).collect(4096 * KIB);
  for (let i = 0; i < 32; i++) source.write(Buffer.alloc(64 * KIB));
  expect(readBytes).toBeLessThan(400 * KIB);
  source.end();
  expect((await body)?.length).toBe(2048 * KIB);
});
