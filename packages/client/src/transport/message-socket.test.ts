import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SteppedClock } from '@pintle/async';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type MessageSocket, openMessageSocket } from './message-socket.ts';

/** Takes a WebSocket, and never says a word over it. */
async function serveSilence() {
  const taken: Socket[] = [];
  const server = createServer().on('upgrade', ({ headers }, socket: Socket) => {
    taken.push(socket.on('error', () => undefined).resume());
    const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    const said = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Protocol: p'];
    socket.write(['HTTP/1.1 101 Switching Protocols', ...said, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of taken) socket.destroy();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), taken };
}

test('a peer that does not close its side is cut off after two seconds', async () => {
  const { url, taken } = await serveSilence();
  const clock = new SteppedClock();
  const options = { server: url, alpn: ['http/1.1'], clock };
  const socket = (await openMessageSocket(options, '/', { path: '/', protocols: ['p'] })) as MessageSocket;
  expect(socket.protocol).toBe('p');
  const closing = socket.close();
  await clock.advance(1_999);
  expect(taken.map(({ readableEnded }) => readableEnded)).toEqual([false]);
  const ended = once(taken[0]!, 'end');
  await clock.advance(1);
  await Promise.all([closing, ended]);
  expect(clock.pendingTimers).toBe(0);
});

test('messages are read in order; a reader that is slow, or leaves some unread, loses nothing but those', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => {
    for (let i = 0; i < 200; i++) socket.send(`${i}`.padEnd(10_000));
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const open = async () =>
    (await openMessageSocket({ server: url, alpn: ['http/1.1'] }, '/', { path: '/', protocols: [] })) as MessageSocket;
  const socket = await open();
  await socket.send(Buffer.from('last'));
  const seen: string[] = [];
  for await (const message of socket) {
    seen.push(Buffer.from(message).toString().trim());
    await new Promise(setImmediate);
    if (seen.at(-1) === 'last') break;
  }
  expect(seen).toEqual([...Array.from({ length: 200 }, (_, index) => `${index}`), 'last']);
  await socket.close();
  const unread = await open();
  await unread.close();
});
