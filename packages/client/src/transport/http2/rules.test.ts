import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { realClock } from '@pintle/async';
import {
  encodeHeaders,
  FLAG,
  FRAME,
  goAwayFrame,
  headersFrames,
  PREFACE,
  pingFrame,
  SETTING,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from '@pintle/http2';
import type { DutyOf } from '@pintle/http2/testing';
import {
  breachesFor,
  dutiesOf,
  FrameLog,
  frame,
  OPEN_STREAM,
  PREFACE_BYTES,
  RESPONSE,
  ruleOf,
} from '@pintle/http2/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plainSocket } from '../dialed-socket.ts';
import { readAll, type TransportRequest, type TransportResponse } from '../transport.ts';
import { Http2Connection } from './http2-connection.ts';
import { requestFieldsOf } from './request-fields.ts';

/** A connection of the client's, and the server's side of it, which has sent these bytes to begin with. */
async function open(greeting: Buffer = settingsFrame([])) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection');
  const socket = connect(port, '127.0.0.1');
  const [[peer]] = await Promise.all([accepted, once(socket, 'connect')]);
  const log = new FrameLog(peer as Socket, { prefixBytes: PREFACE_BYTES });
  const url = new URL(`http://127.0.0.1:${port}`);
  const connection = new Http2Connection({
    server: url,
    dialed: plainSocket(socket),
    clock: realClock,
    onClose: () => undefined,
  });
  connection.open();
  onTestFinished(() => {
    connection.close();
    server.close();
    (peer as Socket).destroy();
  });
  log.write(greeting);
  const send = (request: Partial<TransportRequest> = {}): Promise<TransportResponse> => {
    const whole = { method: 'GET', path: '/', ...request };
    const answer = connection.send(whole, requestFieldsOf(whole, whole.path, url));
    answer.catch(() => undefined);
    return answer;
  };
  return { connection, log, send };
}

const head = (id: number, fields = RESPONSE, isLast = true): Buffer =>
  Buffer.concat(headersFrames(id, encodeHeaders(fields), isLast));
const upload = (length: number) => ({ method: 'PUT', body: Buffer.alloc(length) });

describe('the client keeps the rules of HTTP/2 for what servers send', () => {
  test.each(breachesFor('client'))('%s: %s', async (_name, reaction, breach) => {
    const { log, send } = await open(breach.isFirst ? Buffer.alloc(0) : settingsFrame([]));
    void send(upload(100_000));
    await log.until(() => log.find(FRAME.headers, OPEN_STREAM));
    log.write(breach.bytes('client'));
    expect(await log.reaction()).toBe(reaction);
    if (reaction.startsWith('goaway')) await log.closed();
  });
});

const duties: Record<DutyOf<'client'>, () => Promise<void>> = {
  preface: async () => {
    const { log } = await open();
    await log.until(() => log.frames.length > 0);
    expect(log.prefix.equals(PREFACE)).toBe(true);
    expect(log.frames[0]).toMatchObject({ type: FRAME.settings, flags: 0, streamId: 0 });
  },
  frameSize: async () => {
    const { log, send } = await open(settingsFrame([[SETTING.maxFrameSize, 100_000]]));
    void send(upload(60_000));
    await log.until(() => log.dataBytes(1) === 60_000);
    for (const { payload } of log.frames) expect(payload.length).toBeLessThanOrEqual(16_384);
  },
  streamNumbers: async () => {
    const { log, send } = await open();
    for (let i = 0; i < 3; i++) void send();
    await log.until(() => log.all(FRAME.headers).length === 3);
    expect(log.all(FRAME.headers).map(({ streamId }) => streamId)).toEqual([1, 3, 5]);
  },
  concurrency: async () => {
    const { log, send, connection } = await open(settingsFrame([[SETTING.maxConcurrentStreams, 2]]));
    await log.settled();
    void send();
    void send();
    expect(connection.hasFreeStream).toBe(false);
    await expect(send()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
    await log.settled();
    expect(log.all(FRAME.headers)).toHaveLength(2);
  },
  connectionError: async () => {
    const { log } = await open();
    log.write(frame(FRAME.ping, 0, 0, 'short'));
    await log.closed();
    expect(log.frames.at(-1)).toMatchObject({ type: FRAME.goAway, streamId: 0 });
  },
  acknowledge: async () => {
    const { log } = await open();
    log.write(settingsFrame([[SETTING.maxFrameSize, 20_000]]), settingsAck());
    await log.settled();
    expect(log.all(FRAME.settings).filter(({ flags }) => flags === FLAG.ack)).toHaveLength(2);
  },
  noPush: async () => {
    const { log } = await open();
    const settings = await log.until(() => log.find(FRAME.settings));
    expect(settings.payload.subarray(0, 6).toString('hex')).toBe('000200000000');
  },
  pong: async () => {
    const { log } = await open();
    log.write(pingFrame(Buffer.from('12345678')), pingFrame(Buffer.from('87654321'), FLAG.ack));
    await log.settled();
    const pongs = log.all(FRAME.ping).map(({ flags, payload }) => `${flags} ${payload}`);
    expect(pongs).toEqual(['1 12345678', '1 are you?']);
  },
  lastStream: async () => {
    const { log, send, connection } = await open();
    const [first, second] = [send(), send()];
    await log.until(() => log.find(FRAME.headers, 3));
    log.write(goAwayFrame('NO_ERROR', 1));
    await expect(second).rejects.toMatchObject({ failure: { isSent: false } });
    expect(connection.hasFreeStream).toBe(false);
    log.write(head(1));
    expect((await first).status).toBe(200);
  },
  windows: async () => {
    const { log, send } = await open(settingsFrame([[SETTING.initialWindowSize, 50_000]]));
    await log.settled();
    void send(upload(200_000));
    void send(upload(200_000));
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
    const { log, send } = await open(settingsFrame([[SETTING.initialWindowSize, 10]]));
    await log.settled();
    void send(upload(20));
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
    const { log, send } = await open();
    const answer = send();
    await log.until(() => log.find(FRAME.headers, 1));
    log.write(head(1, [[':status', '103']], false), head(1, [[':status', '100']], false), head(1));
    expect((await answer).status).toBe(200);
  },
  fieldNames: async () => {
    const { log, send } = await open();
    void send({ headers: { Accept: 'a' } });
    const { fields } = await log.until(() => log.find(FRAME.headers, 1));
    expect(fields!.map(([name]) => name)).toEqual([':method', ':scheme', ':authority', ':path', 'accept']);
    expect(() =>
      requestFieldsOf({ method: 'GET', path: '/', headers: { Connection: 'close' } }, '/', new URL('http://a')),
    ).toThrow();
  },
  secrets: async () => {
    const { log, send } = await open();
    void send({ headers: { authorization: 'ab' } });
    const { payload } = await log.until(() => log.find(FRAME.headers, 1));
    expect(payload.toString('hex')).toContain('1f08026162');
  },
  tableSize: async () => {
    // The other side keeps no table at all: what it cannot look up, it could not read.
    const { log, send } = await open(settingsFrame([[1, 0]]));
    const answers = [send({ headers: { a: 'b' } }), send({ headers: { a: 'b' } })];
    await log.until(() => log.find(FRAME.headers, 3));
    const [first, second] = log.all(FRAME.headers).map(({ payload }) => payload);
    expect(first![0]).toBe(0x20);
    // The same fields are the same bytes, in full, each time.
    expect(first!.subarray(1).equals(second!)).toBe(true);
    log.write(head(1), head(3));
    for (const answer of answers) await readAll(await answer);
  },
};

describe('the client keeps the rules of HTTP/2 for what it sends', () => {
  test('each of them has a test', () => expect(Object.keys(duties).sort()).toEqual(dutiesOf('client').sort()));
  test.each(Object.entries(duties).map(([name, keep]) => [ruleOf(name), keep] as const))('%s', (_rule, keep) => keep());
});
