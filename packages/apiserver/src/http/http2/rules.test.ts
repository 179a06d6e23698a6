import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { SteppedClock } from '@pintle/async';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  headersFrames,
  PREFACE,
  pingFrame,
  SETTING,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import type { DutyOf } from '@pintle/http2/testing';
import { breachesFor, dutiesOf, FrameLog, frame, OPEN_STREAM, REQUEST, ruleOf } from '@pintle/http2/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ServerConnection } from './server-connection.ts';
import type { ServerStream } from './server-stream.ts';

let server: Server;
let serve: (stream: ServerStream) => void;
let connections: ServerConnection[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const onStream = (stream: ServerStream): void => serve(stream);
    connections.push(new ServerConnection(socket, { clock: new SteppedClock(), maxHeaderBytes: 64 * 1024, onStream }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

/** The other side of a connection to a server that answers nothing, unless told how. */
async function open(answer: (stream: ServerStream) => void = () => {}): Promise<FrameLog> {
  serve = answer;
  connections = [];
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return new FrameLog(socket);
}

async function greet(answer?: (stream: ServerStream) => void, settings: Parameters<typeof settingsFrame>[0] = []) {
  const log = await open(answer);
  log.write(PREFACE, settingsFrame(settings));
  return log;
}

const request = (id: number, fields = REQUEST, isLast = true): Buffer =>
  Buffer.concat(headersFrames(id, encodeHeaders(fields), isLast));
const POST = REQUEST.map(([name, value]) => [name, name === ':method' ? 'POST' : value] as const);
const respond = (body: Uint8Array) => (stream: ServerStream) => stream.respond(200, {}, body);

describe('the server keeps the rules of HTTP/2 for what clients send', () => {
  test.each(breachesFor('server'))('%s: %s', async (_name, reaction, breach) => {
    const log = breach.isFirst ? await open() : await greet();
    if (!breach.isFirst) log.write(request(OPEN_STREAM, POST, false));
    log.write(breach.bytes('server'));
    expect(await log.reaction()).toBe(reaction);
    if (reaction.startsWith('goaway')) await log.closed();
  });
});

const duties: Record<DutyOf<'server'>, () => Promise<void>> = {
  preface: async () => {
    const log = await open();
    await log.until(() => log.frames.length > 0);
    expect(log.frames[0]).toMatchObject({ type: FRAME.settings, flags: 0, streamId: 0 });
  },
  frameSize: async () => {
    const log = await greet(respond(Buffer.alloc(60_000)), [[SETTING.maxFrameSize, 100_000]]);
    log.write(request(1));
    await log.until(() => log.dataBytes(1) === 60_000);
    for (const { payload } of log.frames) expect(payload.length).toBeLessThanOrEqual(16_384);
  },
  concurrency: async () => {
    const log = await greet();
    for (let i = 0; i < 101; i++) log.write(request(i * 2 + 1));
    await log.settled();
    expect(log.all(FRAME.reset).map(({ streamId, payload }) => `${streamId} ${payload[3]}`)).toEqual(['201 7']);
  },
  connectionError: async () => {
    const log = await greet();
    log.write(frame(FRAME.ping, 0, 0, 'short'));
    await log.closed();
    expect(log.frames.at(-1)).toMatchObject({ type: FRAME.goAway, streamId: 0 });
  },
  acknowledge: async () => {
    const log = await greet();
    log.write(settingsFrame([[SETTING.maxFrameSize, 20_000]]), settingsAck());
    await log.settled();
    expect(log.all(FRAME.settings).filter(({ flags }) => flags === FLAG.ack)).toHaveLength(2);
  },
  noPush: async () => {
    const log = await greet(respond(Buffer.from('x')));
    log.write(request(1));
    await log.until(() => log.find(FRAME.data, 1));
    const settings = log.find(FRAME.settings)!.payload;
    expect(settings.subarray(0, 6).toString('hex')).toBe('000200000000');
    expect(log.find(FRAME.pushPromise)).toBeUndefined();
  },
  pong: async () => {
    const log = await greet();
    log.write(pingFrame(Buffer.from('12345678')), pingFrame(Buffer.from('87654321'), FLAG.ack));
    await log.settled();
    const pongs = log.all(FRAME.ping).map(({ flags, payload }) => `${flags} ${payload}`);
    expect(pongs).toEqual(['1 12345678', '1 are you?']);
  },
  lastStream: async () => {
    const log = await greet();
    log.write(request(5));
    await log.settled();
    connections[0]!.close();
    log.write(request(7));
    await log.settled();
    expect(log.find(FRAME.goAway)?.payload.toString('hex')).toBe('0000000500000000');
    expect(log.find(FRAME.reset, 7)?.payload.toString('hex')).toBe('00000007');
  },
  windows: async () => {
    const log = await greet(respond(Buffer.alloc(200_000)), [[SETTING.initialWindowSize, 50_000]]);
    log.write(request(1), request(3));
    await log.until(() => log.dataBytes(1) + log.dataBytes(3) === 65_535);
    await log.settled();
    expect(log.dataBytes(1)).toBeLessThanOrEqual(50_000);
    expect(log.dataBytes(1) + log.dataBytes(3)).toBe(65_535);
    log.write(windowUpdateFrame(0, 1_000_000));
    await log.until(() => log.dataBytes(1) === 50_000 && log.dataBytes(3) === 50_000);
    await log.settled();
    expect(log.dataBytes(1)).toBe(50_000);
  },
  firstWindow: async () => {
    const log = await greet(respond(Buffer.alloc(20)), [[SETTING.initialWindowSize, 10]]);
    log.write(request(1));
    await log.until(() => log.dataBytes(1) === 10);
    // The window is 5 - 10 + 6 = 1 then.
    log.write(settingsFrame([[SETTING.initialWindowSize, 5]]), windowUpdateFrame(1, 6));
    await log.until(() => log.dataBytes(1) === 11);
    await log.settled();
    expect(log.dataBytes(1)).toBe(11);
    log.write(settingsFrame([[SETTING.initialWindowSize, 100]]));
    await log.until(() => log.dataBytes(1) === 20);
  },
  interim: async () => {
    const log = await greet(async (stream) => {
      await stream.body.collect(10);
      stream.respond(200, {}, Buffer.from('x'));
    });
    log.write(request(1, [...POST, ['expect', '100-continue']], false));
    await log.until(() => log.find(FRAME.headers, 1));
    log.write(frame(FRAME.data, FLAG.endStream, 1, 'abc'));
    await log.until(() => log.find(FRAME.data, 1));
    const statuses = log.all(FRAME.headers, 1).map(({ fields }) => fields?.[0]?.[1]);
    expect(statuses).toEqual(['100', '200']);
  },
  fieldNames: async () => {
    const headers = { 'content-type': 'a', connection: 'close', 'transfer-encoding': 'chunked', upgrade: 'x' };
    const log = await greet((stream) => stream.respond(200, headers, Buffer.from('x')));
    log.write(request(1));
    const { fields } = await log.until(() => log.find(FRAME.headers, 1));
    const names = fields!.map(([name]) => name);
    expect(names).toEqual([':status', 'content-type', 'date']);
  },
  authority: async () => {
    const hosts: unknown[] = [];
    const log = await greet((stream) => void hosts.push(stream.head.headers.host));
    log.write(request(1, [...REQUEST, ['host', 'other']]));
    await log.settled();
    expect(hosts).toEqual(['a']);
  },
  tableSize: async () => {
    // The other side keeps no table at all: what it cannot look up, it could not read.
    const log = await greet(respond(Buffer.from('x')), [[1, 0]]);
    log.write(request(1), request(3));
    await log.until(() => log.find(FRAME.data, 3));
    for (const { payload } of log.all(FRAME.headers)) expect(hasDynamicIndex(payload)).toBe(false);
    expect(log.find(FRAME.headers)!.payload[0]).toBe(0x20);
  },
};

/** Looks at the first byte of each field of a block without Huffman code. */
function hasDynamicIndex(block: Buffer): boolean {
  for (let at = 0; at < block.length; ) {
    const byte = block[at]!;
    if (byte >= 0x80) {
      if ((byte & 0x7f) > 61) return true;
      at++;
    } else if ((byte & 0xe0) === 0x20) at++;
    else {
      if ((byte & 0xc0) === 0x40) return true;
      const index = byte & 0x0f;
      // An index above 14 has a byte more.
      at += index === 15 ? 2 : 1;
      if (index === 0) at += 1 + block[at]!;
      at += 1 + block[at]!;
    }
  }
  return false;
}

describe('the server keeps the rules of HTTP/2 for what it sends', () => {
  test('each of them has a test', () => expect(Object.keys(duties).sort()).toEqual(dutiesOf('server').sort()));
  test.each(Object.entries(duties).map(([name, keep]) => [ruleOf(name), keep] as const))('%s', (_rule, keep) => keep());
});
