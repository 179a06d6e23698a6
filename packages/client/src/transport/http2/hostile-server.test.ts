import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { type Clock, realClock, SteppedClock } from '@pintle/async';
import type { Field } from '@pintle/http2';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  FrameReader,
  frameOf,
  HEAD_BYTES,
  headersFrames,
  PREFACE,
  pingFrame,
  type Reason,
  reasonOf,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plainSocket } from '../dialed-socket.ts';
import { readAll, type TransportRequest, type TransportResponse } from '../transport.ts';
import { Http2Connection } from './http2-connection.ts';
import { requestFieldsOf } from './request-fields.ts';

const soon = <T>(look: () => T) => expect.poll(look, { interval: 5 });

/** What a server does when a request has come. */
type Script = (socket: Socket, streamId: number) => void;

/** A connection to a server that begins as it should and goes on by its script; `told` is what it heard, in words. */
async function open(script: Script, { clock = realClock, greeting = settingsFrame([]) }: Options = {}) {
  const told: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.write(greeting);
    const reader = readerOf(told, (streamId) => script(socket, streamId));
    let skipped = 0;
    socket.on('data', (bytes) => {
      const start = Math.min(PREFACE.length - skipped, bytes.length);
      skipped += start;
      if (bytes.length > start) reader.read(bytes.subarray(start));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const url = new URL(`http://127.0.0.1:${port}`);
  const connection = new Http2Connection({
    server: url,
    dialed: plainSocket(socket),
    clock,
    onClose: () => told.push('closed'),
  });
  connection.open();
  onTestFinished(() => {
    connection.close();
    server.close();
    for (const open of sockets) open.destroy();
  });
  const send = (request: Partial<TransportRequest> = {}): Promise<TransportResponse> => {
    const whole = { method: 'GET', path: '/', ...request };
    return connection.send(whole, requestFieldsOf(whole, whole.path, url));
  };
  return { connection, send, told, sockets, socket };
}

interface Options {
  readonly clock?: Clock;
  readonly greeting?: Buffer;
}

function readerOf(told: string[], onRequest: (streamId: number) => void): FrameReader {
  return new FrameReader({
    frame: ({ type, flags, streamId }, payload) => {
      if (type === FRAME.goAway) told.push(`goaway ${reasonOf(payload.readUInt32BE(4))}`);
      if (type === FRAME.reset) told.push(`reset ${streamId} ${reasonOf(payload.readUInt32BE(0))}`);
      if (type === FRAME.ping) told.push(flags === FLAG.ack ? 'pong' : 'ping');
      if (type === FRAME.windowUpdate && streamId > 0) told.push(`window ${streamId} ${payload.readUInt32BE(0)}`);
      if (type === FRAME.headers) onRequest(streamId);
    },
    dataBegins: (streamId, length) => told.push(`data ${streamId} ${length}`),
    data: () => undefined,
    dataEnds: (isLast) => void (isLast && told.push('end')),
  });
}

function frame(type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(payload as Uint8Array);
  const whole = frameOf({ type, flags, streamId }, bytes.length);
  whole.set(bytes, HEAD_BYTES);
  return whole;
}

const head = (streamId: number, fields: readonly Field[] = [], isLast = false) =>
  Buffer.concat(headersFrames(streamId, encodeHeaders([[':status', '200'], ...fields]), isLast));
const data = (streamId: number, text: Uint8Array | string, flags = 0) => frame(FRAME.data, flags, streamId, text);
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const goAway = (lastId: number, code: number) =>
  frame(FRAME.goAway, 0, 0, Buffer.concat([number(lastId), number(code), Buffer.from('why')]));
const unreachable = (isSent: boolean) => ({ failure: { code: 'Unreachable', isSent } });

describe('what ends the connection, and says why', () => {
  const cases: readonly (readonly [string, Reason, (streamId: number) => Buffer])[] = [
    ['a frame that is too long', 'FRAME_SIZE_ERROR', () => frameOf({ type: 0, flags: 0, streamId: 1 }, 16_385, 0)],
    ['another protocol', 'FRAME_SIZE_ERROR', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['DATA of no stream', 'PROTOCOL_ERROR', () => data(0, 'x')],
    ['headers of no stream', 'PROTOCOL_ERROR', () => head(0)],
    ['a reset of no stream', 'PROTOCOL_ERROR', () => resetFrame(0, 'CANCEL')],
    ['DATA of a stream nobody opened', 'PROTOCOL_ERROR', () => data(99, 'x')],
    ['headers of a stream nobody opened', 'PROTOCOL_ERROR', () => head(99)],
    ["a stream of the server's", 'PROTOCOL_ERROR', () => head(2)],
    ['a reset of a stream nobody opened', 'PROTOCOL_ERROR', () => resetFrame(99, 'CANCEL')],
    ['a window of a stream nobody opened', 'PROTOCOL_ERROR', () => windowUpdateFrame(99, 1)],
    ['settings of a stream', 'PROTOCOL_ERROR', (id) => frame(FRAME.settings, 0, id)],
    ['a ping of a stream', 'PROTOCOL_ERROR', (id) => frame(FRAME.ping, 0, id, '12345678')],
    ['a farewell of a stream', 'PROTOCOL_ERROR', (id) => frame(FRAME.goAway, 0, id, '12345678')],
    ['a push', 'PROTOCOL_ERROR', (id) => frame(FRAME.pushPromise, FLAG.endHeaders, id, number(2))],
    ['half a setting', 'FRAME_SIZE_ERROR', () => frame(FRAME.settings, 0, 0, 'abc')],
    ['an acknowledgement with settings', 'FRAME_SIZE_ERROR', () => frame(FRAME.settings, FLAG.ack, 0, '123456')],
    ['a short ping', 'FRAME_SIZE_ERROR', () => frame(FRAME.ping, 0, 0, '1234')],
    ['a short farewell', 'FRAME_SIZE_ERROR', () => frame(FRAME.goAway, 0, 0, '1234')],
    ['a short reset', 'FRAME_SIZE_ERROR', (id) => frame(FRAME.reset, 0, id, '12')],
    ['a long window', 'FRAME_SIZE_ERROR', () => frame(FRAME.windowUpdate, 0, 0, '12345')],
    ['a wish to be pushed to', 'PROTOCOL_ERROR', () => settingsFrame([[2, 1]])],
    ['a window that no one may have', 'FLOW_CONTROL_ERROR', () => settingsFrame([[4, 2 ** 31]])],
    ['frames that are too small', 'PROTOCOL_ERROR', () => settingsFrame([[5, 16_383]])],
    ['frames that are too large', 'PROTOCOL_ERROR', () => settingsFrame([[5, 2 ** 24]])],
    ['a window that grows by nothing', 'PROTOCOL_ERROR', () => windowUpdateFrame(0, 0)],
    ['a window that grows too far', 'FLOW_CONTROL_ERROR', () => windowUpdateFrame(0, 2 ** 31 - 1)],
    ['a block of headers that is none', 'COMPRESSION_ERROR', (id) => frame(FRAME.headers, FLAG.endHeaders, id, 'ÿ')],
    ['a continuation of nothing', 'PROTOCOL_ERROR', (id) => frame(FRAME.continuation, FLAG.endHeaders, id, 'a')],
    [
      'something between headers',
      'PROTOCOL_ERROR',
      (id) => Buffer.concat([frame(FRAME.headers, 0, id), pingFrame(Buffer.alloc(8))]),
    ],
    ['DATA between headers', 'PROTOCOL_ERROR', (id) => Buffer.concat([frame(FRAME.headers, 0, id), data(id, 'x')])],
    [
      'a continuation of another stream',
      'PROTOCOL_ERROR',
      (id) => Buffer.concat([frame(FRAME.headers, 0, id), frame(FRAME.continuation, 0, id + 2)]),
    ],
    [
      'headers padded by more than there is',
      'PROTOCOL_ERROR',
      (id) => frame(FRAME.headers, FLAG.padded | FLAG.endHeaders, id, '\u0009abc'),
    ],
    [
      'headers too short for what they say',
      'FRAME_SIZE_ERROR',
      (id) => frame(FRAME.headers, FLAG.priority | FLAG.endHeaders, id, 'abc'),
    ],
    [
      'continuations without end',
      'ENHANCE_YOUR_CALM',
      (id) => Buffer.concat([frame(FRAME.headers, 0, id), repeat(10_000, frame(FRAME.continuation, 0, id))]),
    ],
    [
      'headers without end',
      'ENHANCE_YOUR_CALM',
      (id) => Buffer.concat([frame(FRAME.headers, 0, id), repeat(10, frame(FRAME.continuation, 0, id, zeros(9_000)))]),
    ],
  ];

  test.each(cases)('%s: %s', async (_, reason, bytes) => {
    const { send, connection, told } = await open((socket, streamId) => socket.write(bytes(streamId)));
    await expect(send()).rejects.toMatchObject(unreachable(true));
    expect(connection.hasFreeStream).toBe(false);
    await expect(send()).rejects.toMatchObject(unreachable(false));
    await soon(() => told.toSorted()).toEqual(['closed', `goaway ${reason}`]);
  });

  test('a server that does not begin with its settings', async () => {
    const { send, told } = await open(() => undefined, { greeting: pingFrame(Buffer.alloc(8)) });
    await expect(send()).rejects.toMatchObject({
      message: expect.stringMatching(/does not begin with a SETTINGS frame/),
    });
    await soon(() => told).toContain('goaway PROTOCOL_ERROR');
  });

  test('a response that goes on after its end', async () => {
    for (const more of [data(1, 'more'), head(1)]) {
      const { send, told } = await open((socket, id) => {
        if (id === 1) socket.write(head(1, [], true));
        else socket.write(more);
      });
      await send();
      await expect(send()).rejects.toMatchObject({
        message: expect.stringMatching(/sent data after the end of the response/),
      });
      await soon(() => told).toContain('goaway STREAM_CLOSED');
    }
  });
});

describe('what ends one stream, and says why', () => {
  const cases: readonly (readonly [string, Reason, (streamId: number) => Buffer])[] = [
    ['no status', 'PROTOCOL_ERROR', (id) => fields(id, [['a', 'b']])],
    ['a status that is none', 'PROTOCOL_ERROR', (id) => fields(id, [[':status', '2000']])],
    ['a status that comes late', 'PROTOCOL_ERROR', (id) => fields(id, [['a', 'b'], STATUS])],
    ['two statuses', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, STATUS])],
    ['a part of a request', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, [':path', '/']])],
    ['a name in capitals', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['A', 'b']])],
    ['no name', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['', 'b']])],
    ['a value of two lines', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['a', 'b\r\nc: d']])],
    ['a value with a space before it', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['a', ' b']])],
    ['headers of HTTP/1.1', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['connection', 'close']])],
    ['a length that is none', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ['content-length', '-1']])],
    ['two lengths', 'PROTOCOL_ERROR', (id) => fields(id, [STATUS, ...['1', '2'].map(lengthOf)])],
    ['another protocol', 'PROTOCOL_ERROR', (id) => fields(id, [[':status', '101']])],
    ['too many headers', 'ENHANCE_YOUR_CALM', (id) => repeatFields(id, 4_001)],
    ['DATA before a head', 'PROTOCOL_ERROR', (id) => data(id, 'x')],
    ['an end that is not final', 'PROTOCOL_ERROR', (id) => fields(id, [[':status', '100']], true)],
    ['less than it says', 'PROTOCOL_ERROR', (id) => Buffer.concat([sized(id, '3'), data(id, 'ab', FLAG.endStream)])],
    ['more than it says', 'PROTOCOL_ERROR', (id) => Buffer.concat([sized(id, '3'), data(id, 'abcd')])],
    ['nothing of what it says', 'PROTOCOL_ERROR', (id) => head(id, [lengthOf('3')], true)],
    ['two heads', 'PROTOCOL_ERROR', (id) => Buffer.concat([head(id), head(id)])],
    [
      'a status after the body',
      'PROTOCOL_ERROR',
      (id) => Buffer.concat([head(id), data(id, 'a'), fields(id, [STATUS], true)]),
    ],
    ['a body where there is none', 'PROTOCOL_ERROR', (id) => Buffer.concat([nothing(id), data(id, 'x')])],
    ['a window that grows by nothing', 'PROTOCOL_ERROR', (id) => windowUpdateFrame(id, 0)],
    ['a window that grows too far', 'FLOW_CONTROL_ERROR', (id) => repeat(2, windowUpdateFrame(id, 2 ** 31 - 1))],
  ];

  test.each(cases)('%s: %s', async (_, reason, bytes) => {
    const { send, told, connection } = await open((socket, id) => {
      socket.write(id === 1 ? Buffer.concat([bytes(id), data(id, 'late')]) : head(id, [], true));
    });
    const body = Buffer.alloc(100_000);
    await expect(send({ method: 'PUT', body }).then(readAll)).rejects.toMatchObject(unreachable(true));
    await soon(() => told.filter((word) => word.startsWith('reset'))).toEqual([`reset 1 ${reason}`]);
    expect((await send()).status).toBe(200);
    expect(connection.isIdle).toBe(true);
  });

  test('more than the window of the stream', async () => {
    const { send, told } = await open((socket, id) => {
      socket.write(Buffer.concat([head(id), repeat(257, data(id, zeros(16_384)))]));
    });
    const answer = await send().catch((error: unknown) => error);
    await soon(() => told).toContain('reset 1 FLOW_CONTROL_ERROR');
    if (answer instanceof Error) expect(answer).toMatchObject(unreachable(true));
    else await expect(readAll(answer as TransportResponse)).rejects.toMatchObject(unreachable(true));
  });
});

test('many small pieces that nobody takes need no more room than their bytes', async () => {
  const { send, socket } = await open((peer, id) => {
    peer.write(Buffer.concat([head(id), repeat(200_000, data(id, 'x'))]));
  });
  const response = await send();
  const before = process.memoryUsage();
  await soon(() => socket.bytesRead).toBeGreaterThan(2_000_000);
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * 1024 * 1024);
  void (response.body as AsyncIterableIterator<Uint8Array>).return?.();
});

test('a server that asks without taking the answers is cut off', async () => {
  for (const question of [pingFrame(Buffer.alloc(8)), settingsFrame([])]) {
    const { send, told } = await open((socket) => {
      socket.pause();
      const flood = (): void => {
        while (socket.writable && socket.write(repeat(1_000, question)));
      };
      socket.on('drain', flood);
      flood();
    });
    await expect(send()).rejects.toMatchObject({ message: expect.stringMatching(/does not read its replies/) });
    expect(told).toContain('closed');
  }
});

test.each<[string, (id: number) => Buffer]>([
  ['windows of the connection', () => windowUpdateFrame(0, 1)],
  ['windows of a stream', (id) => windowUpdateFrame(id, 1)],
  ['a frame of many settings', () => settingsFrame(Array.from({ length: 2_500 }, () => [99, 1] as const))],
  ['frames of no known kind', () => frame(99, 0, 0)],
  ['data of padding alone', (id) => data(id, Buffer.from([0]), FLAG.padded)],
])('a server whose frames bring nothing is cut off: %s', async (_what, idle) => {
  const { send, told } = await open((socket, id) => {
    const bytes = idle(id);
    socket.write(Buffer.concat([head(id), repeat(Math.ceil(200_000 / bytes.length), bytes)]));
  });
  await send().catch(() => undefined);
  await soon(() => told).toContain('closed');
  await soon(() => told).toContain('goaway ENHANCE_YOUR_CALM');
});

test('pings are answered, and settings', async () => {
  const { send, told } = await open((socket, id) => {
    socket.write(Buffer.concat([pingFrame(Buffer.from('12345678')), settingsFrame([[99, 1]]), head(id, [], true)]));
  });
  await send();
  await soon(() => told).toEqual(['pong']);
});

test('what nobody knows is ignored, and so is padding', async () => {
  const { send } = await open((socket, id) => {
    const block = encodeHeaders([[':status', '200']]);
    socket.write(
      Buffer.concat([
        frame(99, 255, 0, 'a'),
        frame(FRAME.priority, 0, 7, '12345'),
        frame(FRAME.headers, 0x28 | FLAG.endHeaders, id, Buffer.concat([Buffer.from('\u000212345'), block, zeros(2)])),
        frame(99, 255, id, 'a'),
        data(id, '\u0003bodypad', FLAG.padded | FLAG.endStream),
      ]),
    );
  });
  expect((await send()).body).toEqual(Buffer.from('body'));
});

test('a refused stream was not sent, any other that is reset may have been', async () => {
  const { send } = await open((socket, id) => {
    socket.write(resetFrame(id, id === 1 ? 'REFUSED_STREAM' : 'INTERNAL_ERROR'));
  });
  await expect(send()).rejects.toMatchObject(unreachable(false));
  await expect(send()).rejects.toMatchObject({
    ...unreachable(true),
    message: expect.stringMatching(/INTERNAL_ERROR/),
  });
});

test('a response that is complete stays so when its stream is reset', async () => {
  const { send, told } = await open((socket, id) => {
    if (id === 1) socket.write(Buffer.concat([head(id), data(id, 'no', FLAG.endStream), resetFrame(id, 'NO_ERROR')]));
    else socket.write(head(id, [], true));
  });
  const response = await send({ method: 'POST', body: Buffer.alloc(100_000) });
  expect(response.body).toEqual(Buffer.from('no'));
  await send();
  expect(told).toContain('reset 1 NO_ERROR');
});

test('one that is reset half way is not complete, whatever the reason', async () => {
  const { send } = await open((socket, id) => {
    socket.write(Buffer.concat([head(id), data(id, 'half')]));
    setImmediate(() => socket.write(resetFrame(id, 'NO_ERROR')));
  });
  await expect(send().then(readAll)).rejects.toMatchObject(unreachable(true));
});

test('streams that a server which goes away will not look at were not sent, and it finishes the others', async () => {
  const { send, told, sockets } = await open((socket, id) => {
    if (id === 5) socket.write(Buffer.concat([goAway(3, 0), head(3), data(3, 'late')]));
  });
  const sending = [send(), send(), send()] as const;
  await expect(sending[2]).rejects.toMatchObject(unreachable(false));
  const response = await sending[1];
  sockets[0]!.write(Buffer.concat([data(3, 'r', FLAG.endStream), goAway(1, 2)]));
  expect(Buffer.from(await readAll(response)).toString()).toBe('later');
  expect(told).not.toContain('closed');
  sockets[0]!.write(head(1, [], true));
  expect((await sending[0]).status).toBe(200);
  expect(told).toContain('closed');
});

test.each([
  ['before an answer', () => Buffer.alloc(0)],
  ['within the head of a frame', () => Buffer.from([0, 0])],
  ['within a frame', (id: number) => head(id).subarray(0, 10)],
  ['within headers', (id: number) => frame(FRAME.headers, 0, id)],
  ['within DATA', (id: number) => Buffer.concat([head(id), data(id, 'half').subarray(0, 11)])],
  ['within the body', (id: number) => Buffer.concat([head(id), data(id, 'half')])],
])('a connection that ends %s is told as one', async (_, bytes) => {
  for (const end of ['end', 'resetAndDestroy'] as const) {
    const { send, told } = await open((socket, id) => socket.write(bytes(id), () => socket[end]()));
    await expect(send().then(readAll)).rejects.toMatchObject(unreachable(true));
    await soon(() => told).toContain('closed');
  }
});

test('a body waits for its window, which may shrink below nothing', async () => {
  const { send, told } = await open(
    (socket, id) => {
      const windows = [settingsFrame([[4, 10]]), windowUpdateFrame(3, 95), settingsFrame([[4, 1_000]])];
      socket.write(Buffer.concat([...(id === 3 ? windows : []), head(id, [], true)]));
    },
    { greeting: settingsFrame([[4, 100]]) },
  );
  await send();
  await send({ method: 'PUT', body: Buffer.alloc(1_000) });
  await soon(() => told).toEqual(['data 3 100', 'data 3 5', 'data 3 895', 'end']);
});

test('what was taken is told to the server', async () => {
  const { send, told } = await open((socket, id) => {
    socket.write(Buffer.concat([head(id), repeat(128, data(id, zeros(16_384))), data(id, '', FLAG.endStream)]));
  });
  expect(await readAll(await send())).toHaveLength(2 * 1024 * 1024);
  const taken = told.map((word) => Number(/^window 1 (\d+)$/.exec(word)?.[1]));
  for (const bytes of taken) expect(bytes).toBeGreaterThanOrEqual(1024 * 1024);
});

describe('a silent connection', () => {
  const answerFirst: Script = (socket, id) => void (id === 1 && socket.write(head(id, [], true)));

  test('is asked, and lives when it answers', async () => {
    const clock = new SteppedClock();
    const { send, told, sockets, socket, connection } = await open(answerFirst, { clock });
    await send();
    const sending = send().catch((error: unknown) => error);
    for (const pings of [1, 2, 3]) {
      await clock.advance(15_000);
      await soon(() => told.filter((word) => word === 'ping')).toHaveLength(pings);
      const heard = once(socket, 'data');
      sockets[0]!.write(frame(FRAME.ping, FLAG.ack, 0, zeros(8)));
      await heard;
    }
    expect(connection.hasFreeStream).toBe(true);
    connection.close();
    expect(await sending).toMatchObject(unreachable(true));
  });

  test('is given up when it does not', async () => {
    const clock = new SteppedClock();
    const { send, told } = await open(answerFirst, { clock });
    await send();
    const sending = send().catch((error: unknown) => error);
    await clock.advance(15_000);
    await soon(() => told).toEqual(['ping']);
    await clock.advance(10_000);
    expect(await sending).toMatchObject({
      ...unreachable(true),
      message: expect.stringMatching(/no response to a ping/),
    });
  });
});

const STATUS: Field = [':status', '200'];
const lengthOf = (length: string): Field => ['content-length', length];
const sized = (id: number, length: string) => head(id, [lengthOf(length)]);
const nothing = (id: number) => fields(id, [[':status', '204']]);
const fields = (id: number, list: readonly Field[], isLast = false) =>
  Buffer.concat(headersFrames(id, encodeHeaders(list), isLast));
const repeatFields = (id: number, count: number) => fields(id, [STATUS, ...Array<Field>(count).fill(['a', 'b'])]);
const zeros = (length: number) => Buffer.alloc(length);
const repeat = (count: number, bytes: Buffer) => Buffer.alloc(count * bytes.length, bytes);
