import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { ServerStream } from '@pintle/apiserver/testing';
import { ServerConnection } from '@pintle/apiserver/testing';
import { SteppedClock } from '@pintle/async';
import type { Field } from '@pintle/http2';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  frameOf,
  headersFrames,
  PREFACE,
  pingFrame,
  resetFrame,
  SETTING,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataFrame, GET, Peer, POST, rawFrame } from '../../../testing/http2-peer.ts';

let server: Server;
let clock: SteppedClock;
let serve: (stream: ServerStream) => void;
let connections: ServerConnection[];
const peers: Peer[] = [];

/** In as many turns of the loop as it takes. */
async function soon(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

/** Nothing leaves the socket any more. */
async function standstill(socket: Socket): Promise<void> {
  for (let written = -1; written !== socket.bytesWritten - socket.writableLength; ) {
    written = socket.bytesWritten - socket.writableLength;
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  }
}

beforeEach(async () => {
  clock = new SteppedClock();
  connections = [];
  serve = (stream) => stream.respond(200, {}, Buffer.from(`${stream.head.method} ${stream.head.target}`));
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const options = { clock, maxHeaderBytes: 64 * 1024, onStream: (stream: ServerStream) => serve(stream) };
    connections.push(new ServerConnection(socket, options));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const peer of peers.splice(0)) peer.socket.destroy();
  server.close();
});

async function openPeer({ greeting }: { greeting?: readonly Buffer[] } = {}): Promise<Peer> {
  const peer = await Peer.open(server, greeting);
  peers.push(peer);
  return peer;
}

async function echo(stream: ServerStream): Promise<void> {
  const body = await Promise.resolve(stream.body.collect(1_000_000)).catch((error: Error) =>
    Buffer.from(error.message),
  );
  stream.respond(200, {}, body ?? Buffer.from('too long'));
}

describe('requests', () => {
  test('many on one connection are answered', async () => {
    const peer = await openPeer();
    for (const id of [1, 3, 5]) peer.request(id);
    expect(await Promise.all([1, 3, 5].map((id) => peer.answer(id)))).toEqual([
      '200 GET /a',
      '200 GET /a',
      '200 GET /a',
    ]);
  });

  test('a head and a body may come in any pieces, padded, with trailers behind', async () => {
    serve = (stream) => void echo(stream);
    const peer = await openPeer({ greeting: [] });
    const block = encodeHeaders(POST);
    const padded = Buffer.concat([Buffer.from([3]), Buffer.alloc(5), block.subarray(0, 4), Buffer.alloc(3)]);
    const trailers = headersFrames(1, encodeHeaders([['digest', 'x']]), true);
    const bytes = Buffer.concat([
      PREFACE,
      settingsFrame([]),
      rawFrame(FRAME.headers, FLAG.padded | FLAG.priority, 1, padded),
      rawFrame(FRAME.continuation, 0, 1, block.subarray(4, 7)),
      rawFrame(FRAME.continuation, FLAG.endHeaders, 1, block.subarray(7)),
      dataFrame(1, 'ab', { isLast: false, padding: 7 }),
      dataFrame(1, 'cd', { isLast: false }),
      ...trailers,
    ]);
    for (const byte of bytes) {
      peer.socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect(await peer.answer(1)).toBe('200 abcd');
  });

  test('a body may be as long as it says, or be whatever comes', async () => {
    serve = (stream) => void echo(stream);
    const peer = await openPeer();
    peer.request(1, [...POST, ['content-length', '3']], false);
    peer.send(dataFrame(1, 'abc'));
    expect(await peer.answer(1)).toBe('200 abc');
    peer.request(3, [...POST, ['content-length', '3']], false);
    peer.send(dataFrame(3, 'abcd', { isLast: false }));
    expect(await peer.reset(3)).toBe('PROTOCOL_ERROR');
    peer.request(5, [...POST, ['content-length', '3']], false);
    peer.send(dataFrame(5, 'ab'));
    expect(await peer.reset(5)).toBe('PROTOCOL_ERROR');
  });

  test('who waits for leave to send a body gets it', async () => {
    serve = (stream) => void echo(stream);
    const peer = await openPeer();
    peer.request(1, [...POST, ['expect', '100-continue']], false);
    expect((await peer.until(() => peer.find(FRAME.headers, 1))).text).toBe('100');
    peer.send(dataFrame(1, 'abc'));
    await peer.until(() => peer.text(1) === 'abc');
  });

  test.each<[string, Field[]]>([
    ['no path', GET.slice(0, 3)],
    ['an empty path', [...GET.slice(0, 3), [':path', '']]],
    ['no scheme', [GET[0]!, GET[3]!]],
    ['a method twice', [GET[0]!, ...GET]],
    ['a pseudo-header nobody knows', [...GET, [':status', '200']]],
    ['a pseudo-header after others', [GET[0]!, GET[1]!, ['a', 'b'], GET[3]!]],
    ['a name in upper case', [...GET, ['Accept', 'a']]],
    ['a name that is none', [...GET, ['a b', 'a']]],
    ['a value with a line feed', [...GET, ['a', 'b\nc']]],
    ['a header of connections', [...GET, ['transfer-encoding', 'chunked']]],
    ['te of another kind', [...GET, ['te', 'gzip']]],
    ['a length that is none', [...GET, ['content-length', '-1']]],
    ['two lengths', [...GET, ['content-length', '1'], ['content-length', '2']]],
    ['a tunnel', [[':method', 'CONNECT'], ...GET.slice(1)]],
  ])('with %s are given back', async (_what, fields) => {
    const peer = await openPeer();
    peer.request(1, fields);
    expect(await peer.reset(1)).toBe('PROTOCOL_ERROR');
    peer.request(3);
    expect(await peer.answer(3)).toBe('200 GET /a');
  });

  test('headers that come several times are a list, or the first, or one', async () => {
    let headers: ServerStream['head']['headers'] = {};
    serve = (stream) => {
      headers = stream.head.headers;
      stream.respond(200, {}, Buffer.from('x'));
    };
    const peer = await openPeer();
    const twice: Field[] = ['accept', 'authorization', 'cookie', '__proto__'].flatMap((name): Field[] => [
      [name, 'a'],
      [name, 'b'],
    ]);
    peer.request(1, [...GET, ...twice]);
    await peer.answer(1);
    expect(headers).toMatchObject({ accept: ['a', 'b'], authorization: 'a', cookie: 'a; b' });
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toEqual(['a', 'b']);
  });

  test('headers that are too much are answered so', async () => {
    const peer = await openPeer();
    peer.request(1, [...GET, ...Array.from({ length: 4_001 }, (_, i): Field => [`a${i}`, 'b'])]);
    expect(await peer.answer(1)).toBe('431');
    peer.request(3, [...GET, ...Array.from({ length: 110 }, (_, i): Field => [`a${i}`, 'b'.repeat(600)])]);
    expect(await peer.answer(3)).toBe('431');
    peer.request(5);
    expect(await peer.answer(5)).toBe('200 GET /a');
  });

  test('more than a hundred at once are refused, and may be sent again', async () => {
    serve = () => {};
    const peer = await openPeer();
    for (let i = 0; i < 101; i++) peer.request(i * 2 + 1);
    expect(await peer.reset(201)).toBe('REFUSED_STREAM');
  });
});

describe('answers', () => {
  test('go as far as the windows of stream and connection, and on when those grow', async () => {
    serve = (stream) => stream.respond(200, {}, Buffer.from('0123456789'));
    const peer = await openPeer({ greeting: [PREFACE, settingsFrame([[SETTING.initialWindowSize, 4]])] });
    peer.request(1);
    await peer.until(() => peer.text(1) === '0123');
    peer.send(windowUpdateFrame(1, 3));
    await peer.until(() => peer.text(1) === '0123456');
    peer.send(settingsFrame([[SETTING.initialWindowSize, 0]]), windowUpdateFrame(1, 5));
    await peer.until(() => peer.text(1) === '01234567');
    peer.send(settingsFrame([[SETTING.initialWindowSize, 100]]));
    expect(await peer.answer(1)).toBe('200 0123456789');
  });

  test('take turns', async () => {
    const body = Buffer.alloc(100_000, 'x');
    serve = (stream) => stream.respond(200, {}, body);
    const peer = await openPeer({ greeting: [PREFACE, settingsFrame([[SETTING.initialWindowSize, 200_000]])] });
    peer.request(1);
    peer.request(3);
    await peer.until(() => peer.text(1).length + peer.text(3).length === 65_535);
    peer.send(windowUpdateFrame(0, 200_000));
    await Promise.all([peer.answer(1), peer.answer(3)]);
    const first = peer.seen.findIndex((each) => each.streamId === 3 && each.type === FRAME.data);
    const last = peer.seen.findIndex((each) => each.streamId === 1 && each.isLast);
    expect(first).toBeLessThan(last);
    expect([peer.text(1).length, peer.text(3).length]).toEqual([100_000, 100_000]);
  });

  test('that stream are told when the client takes no more, and when it does again', async () => {
    let stream!: ServerStream;
    serve = (opened) => {
      stream = opened;
      stream.respond(200, {});
    };
    const peer = await openPeer();
    peer.request(1);
    await peer.until(() => peer.find(FRAME.headers, 1));
    expect(stream.write(Buffer.alloc(65_535))).toBe(true);
    expect(stream.write(Buffer.from('a'))).toBe(false);
    const drained = new Promise<void>((resolve) => stream.onceDrained(resolve));
    peer.send(windowUpdateFrame(0, 10), windowUpdateFrame(1, 10));
    await drained;
    stream.end();
    expect((await peer.answer(1)).length).toBe('200 '.length + 65_536);
  });

  test('to a request whose body nobody wants are given before it has come; the rest is dropped', async () => {
    serve = (stream) => stream.respond(413, {}, Buffer.from('no'));
    const peer = await openPeer();
    peer.request(1, POST, false);
    expect(await peer.answer(1)).toBe('413 no');
    for (let i = 0; i < 10; i++) peer.send(dataFrame(1, Buffer.alloc(16_000), { isLast: i === 9 }));
    peer.request(3, POST, true);
    expect(await peer.answer(3)).toBe('413 no');
    expect(connections[0]!.isIdle).toBe(true);
  });

  test('end when there is room to say so, whatever has come of the request by then', async () => {
    const opened: ServerStream[] = [];
    serve = (stream) => {
      opened.push(stream);
      stream.respond(200, {});
    };
    const peer = await openPeer({ greeting: [PREFACE, settingsFrame([[SETTING.initialWindowSize, 2 ** 30]])] });
    peer.send(windowUpdateFrame(0, 2 ** 30));
    peer.request(3, POST, false);
    await peer.until(() => peer.find(FRAME.headers, 3));
    peer.socket.pause();
    peer.request(5);
    await soon(() => opened.length === 2);
    opened[1]!.write(Buffer.alloc(32 * 1024 * 1024));
    await standstill(connections[0]!.socket);
    opened[0]!.end();
    peer.send(dataFrame(3, 'late'));
    await soon(() => opened[0]!.body.isOver);
    peer.socket.resume();
    expect(await peer.answer(3)).toBe('200');
  });

  test('with a header that cannot be sent are not sent', async () => {
    let failure: unknown;
    serve = (stream) => {
      try {
        stream.respond(200, { a: 'b\r\nc: d' }, Buffer.from('x'));
      } catch (error) {
        failure = error;
        stream.reset('INTERNAL_ERROR');
      }
    };
    const peer = await openPeer();
    peer.request(1);
    expect(await peer.reset(1)).toBe('INTERNAL_ERROR');
    expect(String(failure)).toContain('Cannot send the header a');
  });
});

describe('bodies', () => {
  test('nobody reads come as far as the window of their stream, and keep no other from coming', async () => {
    serve = (stream) => (stream.id === 1 ? undefined : void echo(stream));
    const peer = await openPeer();
    peer.request(1, POST, false);
    for (let i = 0; i < 16; i++) peer.send(dataFrame(1, Buffer.alloc(16_384), { isLast: false }));
    for (const id of [3, 5, 7, 9]) {
      peer.request(id, POST, false);
      for (let i = 0; i < 10; i++) peer.send(dataFrame(id, Buffer.alloc(16_000, 'x'), { isLast: i === 9 }));
      peer.send(windowUpdateFrame(0, 200_000), windowUpdateFrame(id, 100_000));
      expect((await peer.answer(id)).length).toBe('200 '.length + 160_000);
    }
    peer.send(dataFrame(1, 'x', { isLast: false }));
    expect(await peer.reset(1)).toBe('FLOW_CONTROL_ERROR');
  });

  test('that are read may go on', async () => {
    serve = (stream) => void echo(stream);
    const peer = await openPeer();
    peer.request(1, POST, false);
    for (let i = 0; i < 8; i++) peer.send(dataFrame(1, Buffer.alloc(16_384), { isLast: false }));
    const told = await peer.until(() => peer.find(FRAME.windowUpdate, 1));
    expect(Number(told.text)).toBe(8 * 16_384);
  });

  test('of a client that is gone break off', async () => {
    const heard: string[] = [];
    serve = (stream) => {
      stream.onClose = () => heard.push('closed');
      Promise.resolve(stream.body.collect(100)).catch((error: Error) => heard.push(error.message));
    };
    const peer = await openPeer();
    peer.request(1, POST, false);
    peer.send(dataFrame(1, 'a', { isLast: false }), resetFrame(1, 'CANCEL'));
    peer.request(3, POST, false);
    await peer.until(() => peer.seen.length > 0);
    peer.socket.destroy();
    await peer.closed();
    await soon(() => heard.length === 4);
    expect(heard.sort()).toEqual([
      'closed',
      'closed',
      'the connection was closed before the body was complete',
      'the connection was closed before the body was complete',
    ]);
  });
});

describe('a connection ends', () => {
  const hello = [PREFACE, settingsFrame([])];
  test.each<[string, string, Buffer[]]>([
    ['another protocol', '0 PROTOCOL_ERROR', [Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n')]],
    ['no settings first', '0 PROTOCOL_ERROR', [PREFACE, pingFrame(Buffer.alloc(8))]],
    [
      'a frame that is too long',
      '0 FRAME_SIZE_ERROR',
      [...hello, frameOf({ type: 0, flags: 0, streamId: 1 }, 16_385, 0)],
    ],
    ['data of no stream', '0 PROTOCOL_ERROR', [...hello, dataFrame(0, 'a')]],
    ['data of a stream nobody opened', '0 PROTOCOL_ERROR', [...hello, dataFrame(1, 'a')]],
    ['a stream with an even number', '0 PROTOCOL_ERROR', [...hello, ...headersFrames(2, encodeHeaders(GET), true)]],
    ['a window that grows by nothing', '0 PROTOCOL_ERROR', [...hello, windowUpdateFrame(0, 0)]],
    ['a window that is too large', '0 FLOW_CONTROL_ERROR', [...hello, windowUpdateFrame(0, 2 ** 31 - 1)]],
    ['a window of a stream nobody opened', '0 PROTOCOL_ERROR', [...hello, windowUpdateFrame(5, 1)]],
    ['a stream given up that nobody opened', '0 PROTOCOL_ERROR', [...hello, resetFrame(5, 'CANCEL')]],
    ['headers that go on without having begun', '0 PROTOCOL_ERROR', [...hello, rawFrame(FRAME.continuation, 4, 1)]],
    [
      'something between headers',
      '0 PROTOCOL_ERROR',
      [...hello, rawFrame(FRAME.headers, 0, 1, encodeHeaders(GET)), pingFrame(Buffer.alloc(8))],
    ],
    [
      'headers that cannot be read',
      '0 COMPRESSION_ERROR',
      [...hello, rawFrame(FRAME.headers, 5, 1, Buffer.from([0xff]))],
    ],
    [
      'settings that nobody may have',
      '0 FLOW_CONTROL_ERROR',
      [PREFACE, settingsFrame([[SETTING.initialWindowSize, 2 ** 31]])],
    ],
    ['settings of a wrong size', '0 FRAME_SIZE_ERROR', [PREFACE, rawFrame(FRAME.settings, 0, 0, Buffer.alloc(5))]],
    ['a ping of a wrong size', '0 FRAME_SIZE_ERROR', [...hello, rawFrame(FRAME.ping, 0, 0, Buffer.alloc(7))]],
    ['a push', '0 PROTOCOL_ERROR', [...hello, rawFrame(FRAME.pushPromise, 4, 1, Buffer.alloc(4))]],
    [
      'headers without an end',
      '0 ENHANCE_YOUR_CALM',
      [
        ...hello,
        rawFrame(FRAME.headers, 0, 1),
        ...Array.from({ length: 10_000 }, () => rawFrame(FRAME.continuation, 0, 1)),
      ],
    ],
  ])('with %s', async (_what, reason, bytes) => {
    const peer = await openPeer({ greeting: bytes });
    expect(await peer.goAway()).toBe(reason);
    await peer.closed();
  });

  test('when it opens streams only to give them up', async () => {
    serve = () => {};
    const peer = await openPeer();
    for (let i = 0; i < 1_001; i++) {
      peer.request(i * 2 + 1);
      peer.send(resetFrame(i * 2 + 1, 'CANCEL'));
    }
    expect(await peer.goAway()).toContain('ENHANCE_YOUR_CALM');
    await peer.closed();
  });

  test('but not when that happens over a long time', async () => {
    serve = () => {};
    const peer = await openPeer();
    for (let i = 0; i < 1_500; i++) {
      peer.request(i * 2 + 1);
      peer.send(resetFrame(i * 2 + 1, 'CANCEL'), pingFrame(Buffer.alloc(8, i % 250)));
      if (i % 500 !== 499) continue;
      await peer.until(() => peer.seen.filter(({ type }) => type === FRAME.ping).length === i + 1);
      await clock.advance(60_000);
    }
    expect(peer.find(FRAME.goAway, 0)).toBeUndefined();
  });

  test('when its frames bring nothing', async () => {
    serve = () => {};
    const peer = await openPeer();
    peer.request(1, POST, false);
    peer.send(...Array.from({ length: 10_001 }, () => dataFrame(1, '', { isLast: false })));
    expect(await peer.goAway()).toContain('ENHANCE_YOUR_CALM');
  });

  test('when it asks and asks and takes no answers', async () => {
    const peer = await openPeer();
    await peer.until(() => peer.seen.length > 0);
    peer.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 50_000 }, () => pingFrame(Buffer.alloc(8))));
    for (let i = 0; i < 100 && !peer.socket.destroyed && connections[0]!.socket.destroyed === false; i++) {
      peer.socket.write(pings);
      await new Promise(setImmediate);
    }
    await new Promise<void>((resolve) => {
      if (connections[0]!.socket.destroyed) resolve();
      else connections[0]!.socket.once('close', () => resolve());
    });
  });
});

describe('a connection', () => {
  test('answers a ping', async () => {
    const peer = await openPeer();
    peer.send(pingFrame(Buffer.from('12345678')));
    expect((await peer.until(() => peer.find(FRAME.ping, 0))).text).toBe('12345678');
  });

  test('that is closed finishes what it has, and takes no more', async () => {
    let stream!: ServerStream;
    serve = (opened) => {
      stream = opened;
    };
    const peer = await openPeer();
    peer.request(1);
    await peer.until(() => stream !== undefined && peer.seen.length > 0);
    connections[0]!.close();
    expect(await peer.goAway()).toBe('1 NO_ERROR');
    peer.request(3);
    expect(await peer.reset(3)).toBe('REFUSED_STREAM');
    stream.respond(200, {}, Buffer.from('late'));
    expect(await peer.answer(1)).toBe('200 late');
    await peer.closed();
  });

  test('on which nothing was asked for long ends', async () => {
    const peer = await openPeer();
    peer.request(1);
    await peer.answer(1);
    await clock.advance(10_000);
    connections[0]!.closeIfIdleSince(clock.monotonic() - 20_000);
    peer.request(3);
    expect(await peer.answer(3)).toBe('200 GET /a');
    await clock.advance(30_000);
    connections[0]!.closeIfIdleSince(clock.monotonic() - 20_000);
    expect(await peer.goAway()).toBe('3 NO_ERROR');
    await peer.closed();
  });

  test('frames that nobody knows are passed over', async () => {
    const peer = await openPeer();
    peer.send(rawFrame(0x20, 0xff, 0, Buffer.from('abc')), rawFrame(FRAME.priority, 0, 9, Buffer.alloc(5)));
    peer.request(1);
    expect(await peer.answer(1)).toBe('200 GET /a');
  });
});
