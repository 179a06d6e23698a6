import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { SteppedClock } from '@pintle/async';
import { afterEach, expect, test } from 'vitest';
import { dial } from './dial.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Takes connections and says nothing, ever. */
async function serveSilence(): Promise<{ readonly port: number; readonly accepted: Promise<Socket> }> {
  const server = createServer({ noDelay: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  const accepted = once(server, 'connection').then(([socket]: Socket[]) => socket!.resume().on('error', () => {}));
  return { port: (server.address() as AddressInfo).port, accepted };
}

const alpn = ['http/1.1'];

test.each([
  ['a server that never answers the first words of TLS', 'https:', undefined],
  ['a proxy that never says whether the way is open', undefined, 'http:'],
  ['a SOCKS proxy that says nothing', undefined, 'socks5:'],
])('%s is given up after half a minute', async (_, direct, by) => {
  const { port, accepted } = await serveSilence();
  const server = direct === undefined ? 'https://kubernetes.example' : `${direct}//127.0.0.1:${port}`;
  const proxy = by && `${by}//127.0.0.1:${port}`;
  const clock = new SteppedClock();
  const dialing = dial({ server: new URL(server), alpn, clock, ...(proxy && { proxy: new URL(proxy) }) });
  const outcome = dialing.catch((error: unknown) => error);
  const socket = await accepted;
  await clock.advance(29_999);
  expect(socket.destroyed).toBe(false);
  const closed = once(socket, 'close');
  await clock.advance(1);
  expect(await outcome).toMatchObject({ failure: { code: 'Unreachable', isSent: false } });
  await closed;
});
