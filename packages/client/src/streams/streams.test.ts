import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SteppedClock } from '@pintle/async';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { connect } from '../config/connect.ts';
import { Client } from '../rest/client.ts';
import { attach, exec } from './exec.ts';
import { logLines, logs } from './logs.ts';
import { portForward } from './port-forward.ts';

/** A server that speaks as a kubelet does, by a script. */
let server: Server;
let client: Client;
let asked: { url: string; authorization: string | undefined; offered: string }[];
let speak: (socket: WebSocket) => void;
/** The protocol it chooses; none: it refuses. */
let protocol: string | undefined;
const pod = { namespace: 'apps', name: 'web' };

beforeEach(async () => {
  asked = [];
  protocol = 'v5.channel.k8s.io';
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => protocol! });
  server = createServer((request, response) => {
    asked.push({ url: request.url!, authorization: request.headers.authorization, offered: '' });
    if (request.url!.includes('missing')) {
      const status = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'no such pod' };
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    } else {
      response.write('one\ntw');
      response.end('o ½\nthree');
    }
  });
  server.on('upgrade', (request, socket, head) => {
    const offered = request.headers['sec-websocket-protocol'] ?? '';
    asked.push({ url: request.url!, authorization: request.headers.authorization, offered });
    if (protocol !== undefined) sockets.handleUpgrade(request, socket, head, (opened) => speak(opened));
    else {
      const body = '{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"no"}';
      socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cluster = { server: address, insecureSkipVerify: false };
  client = await connect({ cluster, user: { token: 't' }, namespace: 'apps' });
});

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

const send = (socket: WebSocket, channel: number, text: string | object) =>
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(typeof text === 'string' ? text : JSON.stringify(text))]));
/** As a kubelet writes it: without the kind. */
const success = { metadata: {}, status: 'Success' };
const exited = (code: number) => ({
  ...success,
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: `${code}` }] },
});

describe('exec', () => {
  test('a program gives its output and its exit code', async () => {
    speak = (socket) => {
      send(socket, 1, 'out');
      send(socket, 2, 'err');
      send(socket, 1, 'put');
      send(socket, 3, exited(3));
      socket.close();
    };
    const session = await exec(client, pod, { command: ['sh', '-c', 'a b'], container: 'main' });
    expect(await session.collect()).toEqual({ stdout: 'output', stderr: 'err', exitCode: 3 });
    const query = 'command=sh&command=-c&command=a+b&container=main&stdin=false&stdout=true&stderr=true&tty=false';
    const url = `/api/v1/namespaces/apps/pods/web/exec?${query}`;
    expect(asked).toEqual([{ url, authorization: 'Bearer t', offered: 'v5.channel.k8s.io,v4.channel.k8s.io' }]);
  });

  test('it is written to, its input ends, its terminal has a size', async () => {
    const heard: string[] = [];
    speak = (socket) => {
      socket.on('message', (data: Buffer) => {
        heard.push(`${data[0]}:${data[0] === 255 ? data[1] : data.subarray(1)}`);
        if (data[0] === 0) send(socket, 1, data.subarray(1).toString().toUpperCase());
        if (data[0] === 255) send(socket, 3, success);
      });
    };
    await using session = await attach(client, pod, { stdin: true, tty: true });
    await session.resize({ width: 80, height: 24 });
    await session.write('hello');
    await session.endInput();
    expect(await session.collect()).toEqual({ stdout: 'HELLO', stderr: '', exitCode: 0 });
    expect(heard).toEqual(['4:{"Width":80,"Height":24}', '0:hello', '255:0']);
    expect(asked[0]?.url).toContain('/pods/web/attach?stdin=true&stdout=true&stderr=false&tty=true');
  });

  test('an older server cannot be told that input has ended', async () => {
    protocol = 'v4.channel.k8s.io';
    speak = () => undefined;
    await using session = await exec(client, pod, { command: ['cat'], stdin: true });
    await expect(session.endInput()).rejects.toMatchObject({ failure: { code: 'Unsupported' } });
  });

  test('what cannot be run says why', async () => {
    speak = (socket) =>
      send(socket, 3, { ...success, status: 'Failure', reason: 'InternalError', message: 'no such file' });
    const session = await exec(client, pod, { command: ['nope'] });
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no such file' };
    await expect(session.collect()).rejects.toMatchObject({ name: 'StatusError', reason: 'InternalError', status });
    protocol = undefined;
    await expect(exec(client, pod, { command: ['x'] })).rejects.toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  test.each(['{"metadata":{}}', '[]', '5', 'done'])(
    'an outcome that is none, %s, is not taken for one',
    async (text) => {
      speak = (socket) => send(socket, 3, text);
      const session = await exec(client, pod, { command: ['x'] });
      await expect(session.collect()).rejects.toMatchObject({ failure: { code: 'Unreadable' } });
    },
  );

  test('a connection that breaks is not a program that ended well', async () => {
    speak = (socket) => {
      send(socket, 1, 'half');
      socket.terminate();
    };
    const session = await exec(client, pod, { command: ['x'] });
    await expect(session.collect()).rejects.toMatchObject({ failure: { code: 'Unreachable' } });
    speak = (socket) => socket.close();
    const other = await exec(client, pod, { command: ['x'] });
    await expect(other.collect()).rejects.toMatchObject({ failure: { code: 'Unreadable' } });
  });

  test('a signal ends it', async () => {
    speak = () => undefined;
    const stop = new AbortController();
    const session = await exec(client, pod, { command: ['sleep'], signal: stop.signal });
    const ended = expect(session.collect()).rejects.toThrow('enough');
    stop.abort(new Error('enough'));
    await ended;
  });

  test('output that nobody reads holds the program up instead of filling the memory', async () => {
    const chunk = 'x'.repeat(64 * 1024);
    let sent = 0;
    speak = (socket) => {
      const more = (): void => {
        if (sent === 1_000) send(socket, 3, success);
        else send(socket, 1, chunk);
        if (sent++ < 1_000) socket.send('', more);
      };
      more();
    };
    const session = await exec(client, pod, { command: ['yes'] });
    for (let last = -1; last !== sent; ) {
      last = sent;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(500);
    expect((await session.collect()).stdout).toHaveLength(1_000 * chunk.length);
  });
});

describe('port-forward', () => {
  const port = (channel: number) => send2(channel, Buffer.of(80, 0));
  const send2 = (channel: number, bytes: Buffer) => Buffer.concat([Buffer.of(channel), bytes]);

  test('a port of a pod is a stream', async () => {
    protocol = 'v4.channel.k8s.io';
    speak = (socket) => {
      socket.send(port(0));
      socket.send(port(1));
      socket.on('message', (data: Buffer) => socket.send(send2(0, Buffer.from(`heard ${data.subarray(1)}`))));
    };
    const stream = await portForward(client, pod, { port: 80 });
    stream.write('hello');
    const [answer] = await once(stream, 'data');
    expect(`${answer}`).toBe('heard hello');
    // What a server of 1.36 hands on to its kubelets, and they answer, by default.
    const url = '/api/v1/namespaces/apps/pods/web/portforward?ports=80';
    expect(asked).toEqual([{ url, authorization: 'Bearer t', offered: 'v4.channel.k8s.io' }]);
    stream.destroy();
    await once(stream, 'close');
  });

  test('it ends when nothing more is written and the pod has said its last', async () => {
    protocol = 'v4.channel.k8s.io';
    const clock = new SteppedClock();
    const chunk = Buffer.alloc(100_000);
    let isGone = false;
    speak = (socket) => {
      socket.send(port(0));
      socket.on('message', () => [1, 2, 3].map(() => socket.send(send2(0, chunk))));
      socket.once('close', () => {
        isGone = true;
      });
    };
    const stepped = new Client({ transport: client.transport, clock });
    const stream = await portForward(stepped, pod, { port: 80 });
    stream.end('give me');
    await once(stream, 'readable');
    // Whoever reads slowly has the other side wait; that is no silence.
    await clock.advance(60_000);
    expect(isGone).toBe(false);
    let length = 0;
    stream.on('data', (bytes: Buffer) => {
      length += bytes.length;
    });
    while (length < 3 * chunk.length) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(999);
    expect(isGone).toBe(false);
    const ended = once(stream, 'end');
    await clock.advance(1);
    await ended;
    await once(stream, 'close');
  });

  test('what goes wrong at the other end is its error', async () => {
    protocol = 'v4.channel.k8s.io';
    speak = (socket) => {
      socket.send(port(1));
      socket.send(send2(1, Buffer.from('connection refused\n')));
    };
    const stream = await portForward(client, pod, { port: 80 });
    const [error] = await once(stream, 'error');
    expect(error).toMatchObject({ failure: { code: 'Refused', what: 'connection refused' } });
  });
});

describe('logs', () => {
  test('come as bytes, and as lines', async () => {
    let text = '';
    for await (const chunk of logs(client, pod, { follow: true, tailLines: 5 }))
      text += Buffer.from(chunk).toString('latin1');
    expect(Buffer.from(text, 'latin1').toString()).toBe('one\ntwo ½\nthree');
    expect(asked[0]?.url).toBe('/api/v1/namespaces/apps/pods/web/log?follow=true&tailLines=5');
    const lines: string[] = [];
    for await (const line of logLines(client, pod)) lines.push(line);
    expect(lines).toEqual(['one', 'two ½', 'three']);
  });

  test('of a pod that is not there say so', async () => {
    await expect(logs(client, { namespace: 'apps', name: 'missing' }).next()).rejects.toMatchObject({ code: 404 });
  });
});
