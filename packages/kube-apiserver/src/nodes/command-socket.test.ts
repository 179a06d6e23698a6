import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ApiRequest } from '@pintle/apiserver';
import { HttpsListener } from '@pintle/apiserver';
import { deferred } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { CommandOptions } from './command-socket.ts';
import { openCommandSocket } from './command-socket.ts';
import type { ContainerStreams } from './node-connector.ts';

type Run = (streams: ContainerStreams) => Promise<number>;

let pair: KeyPair;

beforeAll(async () => {
  const authority = await createAuthority('test', 1, Date.now());
  pair = await issueCertificate(
    authority,
    { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
    Date.now(),
  );
});

/** Runs `run` behind a listener; `messages` are what its client is sent as `channel:text`, the last is how it was closed. */
async function open(run: Run, options: Partial<CommandOptions> = {}) {
  const wanted = { stdin: true, stderr: true, tty: false, ...options };
  const handle = (request: ApiRequest) => openCommandSocket(request, wanted, run);
  const listener = await HttpsListener.listen({ handle, ...pair });
  onTestFinished(() => listener.close({ graceMs: 0 }));
  const address = `wss://127.0.0.1:${listener.port}/exec`;
  const socket = new WebSocket(address, ['v5.channel.k8s.io', 'v4.channel.k8s.io'], { rejectUnauthorized: false });
  const seen: string[] = [];
  const messages = new Promise<string[]>((resolve) => {
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => seen.push(`${data[0]}:${data.subarray(1)}`));
    socket.on('close', (code) => resolve([...seen, `closed ${code}`]));
  });
  await once(socket, 'open');
  expect(socket.protocol).toBe('v5.channel.k8s.io');
  return { socket, messages };
}

const say = (channel: number, text: string): Buffer => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

test('what a command writes and how it ends is told, each on its channel', async () => {
  const { messages } = await open(async (streams) => {
    await streams.stdout(Buffer.from('out'));
    await streams.stderr(Buffer.from('err'));
    return 0;
  });
  expect(await messages).toEqual(['1:out', '2:err', '3:{"metadata":{},"status":"Success"}', 'closed 1000']);
});

const heardBack: Run = async (streams) => {
  let heard = '';
  for await (const chunk of streams.stdin!) heard += Buffer.from(chunk);
  await streams.stdout(Buffer.from(heard));
  return 3;
};

test('a command reads what the client says, in however many pieces, until it has said all', async () => {
  const { socket, messages } = await open(heardBack);
  socket.send(say(0, 'one '));
  socket.send(say(0, 'two'), { fin: false });
  socket.send(' three', { fin: true });
  socket.send(say(255, '\0'));
  const [out, status] = await messages;
  expect(out).toBe('1:one two three');
  expect(JSON.parse(status!.slice(2))).toMatchObject({
    reason: 'NonZeroExitCode',
    details: { causes: [{ message: '3' }] },
  });
});

test('text messages are read as bytes, and a command that is slow to read gets everything', async () => {
  const { socket, messages } = await open(heardBack);
  socket.send('\0text');
  for (let i = 0; i < 100; i++) socket.send(say(0, 'x'.repeat(10_000)));
  socket.send(say(255, '\0'));
  expect((await messages)[0]).toBe(`1:text${'x'.repeat(1_000_000)}`);
});

test('a message above a megabyte ends the connection', async () => {
  const left = deferred();
  const { socket, messages } = await open(async ({ signal }) => {
    signal.addEventListener('abort', () => left.resolve());
    await left.promise;
    return 0;
  });
  socket.send(say(0, 'x'.repeat(1024 * 1024)));
  expect(await messages).toEqual(['closed 1009']);
  await left.promise;
});

test('a message in parts of a few bytes ends the connection before the parts fill the memory', async () => {
  const { socket, messages } = await open(heardBack);
  socket.send(say(0, 'x'), { fin: false });
  for (let i = 0; i < 1_000; i++) socket.send('x', { fin: false });
  expect(await messages).toEqual(['closed 1008']);
});

test('a message in chunks of one byte ends the connection before the chunks fill the memory', async () => {
  const { socket, messages } = await open(heardBack);
  const { _socket: bare } = socket as unknown as { readonly _socket: Socket };
  // A message of 64 KiB that is not masked to anything: its head, then one byte a write.
  bare.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  bare.setNoDelay(true);
  for (let i = 0; i < 20_000 && !bare.destroyed; i++)
    await new Promise((resolve) => bare.write(Buffer.from([0]), resolve));
  expect(await messages).toEqual(['closed 1008']);
});

test('input that was not asked for is dropped, and a client that leaves after it is noticed', async () => {
  const left = deferred();
  const { socket } = await open(
    async ({ signal }) => {
      signal.addEventListener('abort', () => left.resolve());
      await left.promise;
      return 0;
    },
    { stdin: false },
  );
  for (let i = 0; i < 10; i++) socket.send(say(0, 'x'.repeat(100_000)));
  socket.terminate();
  await left.promise;
});

test('a command that writes without end waits for its client', async () => {
  let written = 0;
  const stalled = deferred();
  const { socket } = await open(async ({ stdout, signal }) => {
    for (; written < 1_000 && !signal.aborted; written++) {
      const isWritten = await Promise.race([stdout(Buffer.alloc(64 * 1024)).then(() => true), quietTurns()]);
      if (!isWritten) break;
    }
    stalled.resolve();
    return 0;
  });
  socket.pause();
  await stalled.promise;
  expect(written).toBeLessThan(1_000);
});

/** Resolves once a write has not been taken in many turns of the event loop. */
async function quietTurns(): Promise<false> {
  for (let turn = 0; turn < 2_000; turn++) await new Promise(setImmediate);
  return false;
}

test('a client that leaves ends the command', async () => {
  const left = deferred();
  const { socket } = await open(
    ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          left.resolve();
          reject(signal.reason);
        }),
      ),
  );
  socket.terminate();
  await left.promise;
});

const HEADERS = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'v5.channel.k8s.io, v4.channel.k8s.io',
};

test('what is no WebSocket, or speaks no protocol that is known, is refused', () => {
  const { signal } = new AbortController();
  const request = { method: 'GET', path: '', query: '', body: new Uint8Array(), signal, peer: { address: '' } };
  const refused = (headers: Record<string, string>) => () =>
    openCommandSocket(
      { ...request, headers, canUpgrade: true },
      { stdin: false, stderr: true, tty: false },
      async () => 0,
    );
  expect(refused({})).toThrow('Upgrade request required');
  expect(refused({ ...HEADERS, upgrade: 'SPDY/3.1' })).toThrow('Upgrade request required');
  expect(refused({ ...HEADERS, 'sec-websocket-protocol': 'v9' })).toThrow('no supported protocol in: v9');
});
