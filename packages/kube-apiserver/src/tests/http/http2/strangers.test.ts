import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import type { ServerStream } from '@pintle/apiserver/testing';
import { ServerConnection } from '@pintle/apiserver/testing';
import { SteppedClock } from '@pintle/async';
import type { Field } from '@pintle/http2';
import {
  encodeHeaders,
  FLAG,
  FRAME,
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

beforeEach(async () => {
  clock = new SteppedClock();
  connections = [];
  serve = (stream) => stream.respond(200, {}, Buffer.from('ok'));
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    connections.push(connectionOn(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const peer of peers.splice(0)) peer.socket.destroy();
  server.close();
});

function connectionOn(socket: Socket): ServerConnection {
  return new ServerConnection(socket, { clock, maxHeaderBytes: 64 * 1024, onStream: (stream) => serve(stream) });
}

async function openPeer({ greeting }: { greeting?: readonly Buffer[] } = {}): Promise<Peer> {
  const peer = await Peer.open(server, greeting);
  peers.push(peer);
  return peer;
}

/** A client that sends and never takes anything. */
class DeafPeer extends Duplex {
  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: string, _done: () => void): void {}

  static connect(): { peer: DeafPeer; connection: ServerConnection } {
    const peer = new DeafPeer();
    const connection = connectionOn(peer as unknown as Socket);
    peer.emit('data', Buffer.concat([PREFACE, settingsFrame([])]));
    return { peer, connection };
  }

  /** Until it is cut off. */
  say(...frames: Buffer[]): void {
    if (!this.destroyed) this.emit('data', Buffer.concat(frames));
  }
}

const HEAD: Field[] = [[':method', 'HEAD'], ...GET.slice(1)];
const TOO_MANY: Field[] = [...GET, ...Array.from({ length: 4_001 }, (): Field => ['accept', ''])];

function request(streamId: number, fields: readonly Field[] = GET, isLast = true): Buffer {
  return Buffer.concat(headersFrames(streamId, encodeHeaders(fields), isLast));
}

describe('a client that has us give up streams', () => {
  test.each<[string, (streamId: number) => Buffer[]]>([
    ['by a window that grows by nothing', (id) => [request(id), windowUpdateFrame(id, 0)]],
    ['by a window that is too large', (id) => [request(id), windowUpdateFrame(id, 2 ** 31 - 1)]],
    ['by data after the end', (id) => [request(id), dataFrame(id, 'a')]],
    ['by headers after the end', (id) => [request(id), request(id)]],
    [
      'by more data than was announced',
      (id) => [request(id, [...POST, ['content-length', '1']], false), dataFrame(id, 'ab')],
    ],
    ['by headers that are too much', (id) => [request(id, TOO_MANY, false)]],
  ])('%s may do so as often as one that gives them up itself', async (_how, frames) => {
    serve = () => {};
    const peer = await openPeer();
    for (let i = 0; i < 1_001; i++) peer.send(...frames(i * 2 + 1));
    expect(await peer.goAway()).toContain('ENHANCE_YOUR_CALM');
    await peer.closed();
  });
});

describe('a client whose frames bring nothing', () => {
  const many = (count: number, frame: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => frame));
  const settings = (count: number): Buffer =>
    settingsFrame(Array.from({ length: count }, () => [SETTING.initialWindowSize, 65_535] as const));

  test.each<[string, Buffer]>([
    ['windows of the connection', windowUpdateFrame(0, 1)],
    ['pings', pingFrame(Buffer.alloc(8))],
    ['settings', settingsFrame([])],
    ['acknowledged settings', rawFrame(FRAME.settings, FLAG.ack, 0)],
    ['frames of no known kind', rawFrame(0x77, 0, 0)],
  ])('is cut off: %s before any request', async (_what, frame) => {
    const peer = await openPeer();
    peer.send(many(200, frame));
    expect(await peer.goAway()).toBe('0 ENHANCE_YOUR_CALM');
    await peer.closed();
  });

  test.each<[string, Buffer]>([
    ['windows of the connection', windowUpdateFrame(0, 1)],
    ['windows of an open stream', windowUpdateFrame(3, 1)],
    ['windows of a finished stream', windowUpdateFrame(1, 1)],
    ['settings', settingsFrame([])],
    ['a frame of many settings', settings(2_500)],
    ['pings', pingFrame(Buffer.alloc(8))],
    ['farewells', rawFrame(FRAME.goAway, 0, 0, Buffer.alloc(8))],
    ['data of padding alone', dataFrame(3, '', { isLast: false, padding: 1 })],
    ['data of a byte each', dataFrame(3, 'a', { isLast: false })],
  ])('is cut off, though we know it: %s', async (_what, frame) => {
    serve = (stream) => {
      if (stream.id === 3) void Promise.resolve(stream.body.collect(1_000_000)).catch(() => {});
      else stream.respond(200, {}, Buffer.from('ok'));
    };
    const peer = await openPeer();
    connections[0]!.markKnown();
    peer.request(1);
    await peer.answer(1);
    peer.request(3, POST, false);
    peer.send(many(Math.ceil(200_000 / frame.length), frame));
    expect(await peer.goAway()).toBe('3 ENHANCE_YOUR_CALM');
    await peer.closed();
  });

  test('is cut off: windows that grow byte by byte, which make frames of a byte each', async () => {
    serve = (stream) => stream.respond(200, {}, Buffer.alloc(100_000));
    const peer = await openPeer({ greeting: [PREFACE, settingsFrame([[SETTING.initialWindowSize, 0]])] });
    connections[0]!.markKnown();
    const { socket } = connections[0]!;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    peer.request(1);
    peer.send(many(11_000, windowUpdateFrame(1, 1)));
    await closed;
  });

  test('is cut off after a request that made no client of it', async () => {
    const peer = await openPeer();
    peer.request(1);
    await peer.answer(1);
    peer.send(many(2_000, pingFrame(Buffer.alloc(8))));
    expect(await peer.goAway()).toBe('1 ENHANCE_YOUR_CALM');
  });
});

describe('a client that takes what it gets', () => {
  test('may send two windows for each small piece of an answer, however many there are', async () => {
    let open: ServerStream | undefined;
    serve = (stream) => {
      stream.respond(200, {});
      open = stream;
    };
    const peer = await openPeer();
    peer.request(1);
    await peer.until(() => open);
    const windows = Buffer.concat([windowUpdateFrame(0, 1), windowUpdateFrame(1, 1)]);
    for (let i = 0; i < 20_000; i++) {
      open!.write(Buffer.from('a'));
      peer.send(windows);
      if (i % 100 === 99) await peer.until(() => peer.text(1).length > i);
      if (i % 100 === 99) peer.seen.splice(0, peer.seen.length, { ...peer.seen.at(-1)!, text: 'a'.repeat(i + 1) });
    }
    peer.send(pingFrame(Buffer.alloc(8)));
    await peer.until(() => peer.find(FRAME.ping, 0));
    expect(peer.find(FRAME.goAway, 0)).toBeUndefined();
  });

  test('may send two windows for every 4 KiB of an answer', async () => {
    const pieces = 10_000;
    serve = (stream) => stream.respond(200, {}, Buffer.alloc(pieces * 4096));
    const settings = settingsFrame([[SETTING.initialWindowSize, 2 ** 30]]);
    const peer = await openPeer({ greeting: [PREFACE, settings, windowUpdateFrame(0, 2 ** 30)] });
    peer.request(1);
    await peer.answer(1);
    const windows = Buffer.concat([windowUpdateFrame(0, 4096), windowUpdateFrame(1, 4096)]);
    peer.send(Buffer.concat(Array.from({ length: pieces }, () => windows)), pingFrame(Buffer.alloc(8)));
    await peer.until(() => peer.find(FRAME.ping, 0));
    expect(peer.find(FRAME.goAway, 0)).toBeUndefined();
  });

  test('may set the window of each stream', async () => {
    const peer = await openPeer();
    for (let id = 1; id < 10_000; id += 2) {
      peer.request(id);
      peer.send(windowUpdateFrame(id, 1_000_000));
      if (id % 100 === 99) await peer.answer(id);
    }
    expect(peer.find(FRAME.goAway, 0)).toBeUndefined();
  });
});

describe('a client that takes no answers', () => {
  test.each<[string, Field[], Uint8Array]>([
    ['with nothing in them', HEAD, new Uint8Array(0)],
    ['that are short', GET, Buffer.alloc(100)],
    ['that are long', GET, Buffer.alloc(100_000)],
  ])('%s gets no more than fit', (_what, fields, body) => {
    let served = 0;
    serve = (stream) => {
      served++;
      stream.respond(200, {}, body);
    };
    const { peer } = DeafPeer.connect();
    for (let i = 0; i < 20_000; i++) peer.say(request(i * 2 + 1, fields));
    expect(peer.writableLength).toBeLessThan(600 * 1024);
    expect(served).toBeLessThan(16_000);
  });

  test('is cut off when even the heads of answers are too much', () => {
    serve = (stream) => stream.respond(200, { warning: 'x'.repeat(30_000) }, new Uint8Array(0));
    const { peer } = DeafPeer.connect();
    for (let i = 0; i < 200; i++) peer.say(request(i * 2 + 1));
    expect(peer.destroyed).toBe(true);
    expect(peer.writableLength).toBeLessThan(3 * 1024 * 1024);
  });

  test('is cut off when it was told to go and has not gone', async () => {
    const { peer, connection } = DeafPeer.connect();
    await clock.advance(10_000);
    connection.closeIfIdleSince(clock.monotonic() - 1);
    expect(peer.destroyed).toBe(false);
    await clock.advance(10_000);
    connection.closeIfIdleSince(clock.monotonic() - 1);
    expect(peer.destroyed).toBe(true);
  });
});

describe('a connection without a request', () => {
  test('lasts less long than one that had one', async () => {
    const [silent, busy] = [await openPeer(), await openPeer()];
    busy.request(1);
    await busy.answer(1);
    await silent.until(() => silent.seen.length > 0);
    silent.send(rawFrame(FRAME.headers, 0, 1, encodeHeaders(GET)), Buffer.from([0, 0]));
    await clock.advance(40_000);
    const nowMs = clock.monotonic();
    for (const connection of connections) connection.closeIfIdleSince(nowMs - 90_000, { firstMs: nowMs - 32_000 });
    expect(await silent.goAway()).toBe('0 NO_ERROR');
    busy.request(3);
    expect(await busy.answer(3)).toBe('200 ok');
  });
});

describe('a stream that is over', () => {
  test('takes no headers', async () => {
    const peer = await openPeer();
    peer.request(1);
    await peer.answer(1);
    peer.request(1);
    expect(await peer.goAway()).toBe('1 STREAM_CLOSED');
  });

  test('need never have been open', async () => {
    const peer = await openPeer();
    peer.request(5);
    await peer.answer(5);
    peer.request(3);
    expect(await peer.goAway()).toBe('5 PROTOCOL_ERROR');
  });

  test('takes no data, which is no trouble of others', async () => {
    const peer = await openPeer();
    peer.request(1);
    await peer.answer(1);
    peer.send(dataFrame(1, 'a'));
    expect(await peer.reset(1)).toBe('STREAM_CLOSED');
    peer.request(3);
    expect(await peer.answer(3)).toBe('200 ok');
  });

  test('may get what was on its way when we gave it up', async () => {
    serve = (stream) => (stream.id === 1 ? stream.reset('CANCEL') : stream.respond(200, {}, Buffer.from('ok')));
    const peer = await openPeer();
    peer.request(1, POST, false);
    expect(await peer.reset(1)).toBe('CANCEL');
    peer.send(dataFrame(1, 'a', { isLast: false }), request(1, [['digest', 'x']]));
    peer.request(3);
    expect(await peer.answer(3)).toBe('200 ok');
    expect(peer.seen.filter(({ type }) => type === FRAME.reset)).toHaveLength(1);
  });

  test('may get the windows for what it got, and be given up once more', async () => {
    const peer = await openPeer();
    peer.request(1);
    await peer.answer(1);
    const windows = Buffer.concat(Array.from({ length: 10 }, () => windowUpdateFrame(1, 1)));
    peer.send(windows, resetFrame(1, 'CANCEL'), pingFrame(Buffer.alloc(8)));
    await peer.until(() => peer.find(FRAME.ping, 0));
    expect(peer.find(FRAME.goAway, 0)).toBeUndefined();
  });

  test('does not stay open for the rest of a request whose headers were too much', async () => {
    const peer = await openPeer();
    peer.request(1, TOO_MANY, false);
    expect(await peer.reset(1)).toBe('NO_ERROR');
    expect(peer.find(FRAME.headers, 1)?.text).toBe('431');
    expect(connections[0]!.isIdle).toBe(true);
  });
});

describe('windows', () => {
  test('of a stream that are too large end that stream alone', async () => {
    serve = (stream) => (stream.id === 1 ? undefined : stream.respond(200, {}, Buffer.from('ok')));
    const peer = await openPeer();
    peer.request(1);
    peer.send(windowUpdateFrame(1, 2 ** 31 - 1));
    expect(await peer.reset(1)).toBe('FLOW_CONTROL_ERROR');
    peer.request(3);
    expect(await peer.answer(3)).toBe('200 ok');
  });

  test('that grow byte by byte make answers go byte by byte, in one piece of memory each', async () => {
    const peer = new (class extends DeafPeer {
      readonly sizes: number[] = [];
      override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        this.sizes.push(chunk.length);
        done();
      }
    })();
    connectionOn(peer as unknown as Socket);
    peer.say(PREFACE, settingsFrame([[SETTING.initialWindowSize, 0]]), request(1), windowUpdateFrame(1, 1));
    await new Promise(setImmediate);
    expect(peer.sizes.at(-1)).toBe(10);
  });
});
