import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Http1Connection } from './http1-connection.ts';
import { requestHeadOf } from './request-head.ts';
import { plainWire } from './wire.ts';

const request = { method: 'GET', path: '/' };

async function serve() {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}`), port };
}

async function connected(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return socket;
}

function connectionTo(server: URL) {
  const closed: Http1Connection[] = [];
  const connection = new Http1Connection({
    server,
    onIdle: () => undefined,
    onClose: (gone) => closed.push(gone),
  });
  return { connection, closed };
}

test('a connection that was gone before it could be used says so, and that nothing was sent', async () => {
  const { url, port } = await serve();
  const { connection, closed } = connectionTo(url);
  const socket = await connected(port);
  socket.destroy();
  await once(socket, 'close');
  connection.open(plainWire(socket));
  expect(closed).toEqual([connection]);
  const sending = connection.send(request, requestHeadOf(request, '/', url));
  await expect(sending).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
});

test('a connection over which the server spoke first is not used', async () => {
  const { url, port } = await serve();
  const { connection } = connectionTo(url);
  const socket = await connected(port);
  connection.open({ ...plainWire(socket), listen: (take) => take(Buffer.from('early')) });
  expect(connection.isUsable).toBe(false);
  const sending = connection.send(request, requestHeadOf(request, '/', url));
  await expect(sending).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
});
