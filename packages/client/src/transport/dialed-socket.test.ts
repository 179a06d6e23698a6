import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { dialSocket } from './dialed-socket.ts';

/** A server that says something first, and whatever it is told to afterwards. */
async function serve(words: string) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).write(words);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), sockets };
}

test('what a server says before anybody listens is kept, and not much of it', async () => {
  const { url, sockets } = await serve('x'.repeat(16 * 1024 * 1024));
  const dialed = await dialSocket({ server: url, alpn: [] });
  onTestFinished(() => void dialed.socket.destroy());
  await expect.poll(() => dialed.socket.bytesRead).toBeGreaterThan(0);
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(dialed.socket.bytesRead).toBeLessThan(1024 * 1024);
  let length = 0;
  dialed.listen((bytes) => {
    length += bytes.length;
  });
  expect(length).toBe(dialed.socket.bytesRead);
  sockets[0]!.end('y');
  await once(dialed.socket, 'end');
  expect(length).toBe(16 * 1024 * 1024 + 1);
});

test('a connection that is handed over is read like any other, no faster than somebody wants it', async () => {
  const words = Buffer.alloc(16 * 1024 * 1024, 'abcdefg');
  const { url } = await serve(words.toString('latin1'));
  const dialed = await dialSocket({ server: url, alpn: [] });
  onTestFinished(() => void dialed.socket.destroy());
  await expect.poll(() => dialed.socket.bytesRead).toBeGreaterThan(0);
  const socket = dialed.release();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket) {
    for (let turn = 0; chunks.length === 0 && turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (chunks.length === 0) expect(socket.bytesRead).toBeLessThan(2 * 1024 * 1024);
    chunks.push(chunk);
    length += chunk.length;
    if (length === words.length) break;
  }
  expect(Buffer.concat(chunks).equals(words)).toBe(true);
});
