import type { Duplex } from 'node:stream';
import type { ApiRequest } from '@pintle/apiserver';
import { expect, test } from 'vitest';
import type { CommandOptions } from './command-socket.ts';
import { openCommandSocket } from './command-socket.ts';
import type { ContainerStreams } from './node-connector.ts';

const HEADERS = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'v5.channel.k8s.io, v4.channel.k8s.io',
};

function requestWith(headers: Record<string, string>): ApiRequest {
  const { signal } = new AbortController();
  return {
    method: 'GET',
    path: '',
    query: '',
    headers,
    body: new Uint8Array(),
    signal,
    peer: { address: '' },
    canUpgrade: true,
  };
}

/** Runs `run` and gives the client's end, with the messages it is sent as `channel:text`; the last is the goodbye. */
function open(run: (streams: ContainerStreams) => Promise<number>, options: Partial<CommandOptions> = {}) {
  const wanted = { stdin: true, stderr: true, tty: false, ...options };
  const { status, headers, upgraded } = openCommandSocket(requestWith(HEADERS), wanted, run);
  expect([status, headers['sec-websocket-protocol']]).toEqual([101, 'v5.channel.k8s.io']);
  const socket = upgraded!.socket;
  return { socket, messages: readMessages(socket) };
}

async function readMessages(socket: Duplex): Promise<string[]> {
  const messages: string[] = [];
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 2) {
      const isLong = bytes[1] === 126;
      const start = isLong ? 4 : 2;
      const length = isLong ? bytes.readUInt16BE(2) : bytes[1]!;
      if (bytes.length < start + length) break;
      const payload = bytes.subarray(start, start + length);
      messages.push((bytes[0]! & 15) === 8 ? `bye ${payload.readUInt16BE(0)}` : `${payload[0]}:${payload.subarray(1)}`);
      bytes = bytes.subarray(start + length);
    }
  }
  return messages;
}

function say(
  socket: Duplex,
  channel: number,
  text: string | Uint8Array,
  { isFinal = true, isMore = false } = {},
): void {
  const payload = Buffer.concat([isMore ? Buffer.alloc(0) : Buffer.from([channel]), Buffer.from(text)]);
  socket.write(
    Buffer.concat([
      Buffer.from([(isFinal ? 0x80 : 0) | (isMore ? 0 : 2), 0x80 | payload.length]),
      Buffer.alloc(4),
      payload,
    ]),
  );
}

test('what a command writes and how it ends is told, each on its channel', async () => {
  const { messages } = open(async (streams) => {
    await streams.stdout(Buffer.from('out'));
    await streams.stderr(Buffer.from('err'));
    return 0;
  });
  expect(await messages).toEqual(['1:out', '2:err', '3:{"metadata":{},"status":"Success"}', 'bye 1000']);
});

test('a command reads what the client says, in however many pieces, until it has said all', async () => {
  const { socket, messages } = open(async (streams) => {
    let heard = '';
    for await (const chunk of streams.stdin!) heard += Buffer.from(chunk);
    await streams.stdout(Buffer.from(heard));
    return 3;
  });
  say(socket, 0, 'one ');
  say(socket, 0, 'two', { isFinal: false });
  say(socket, 0, ' three', { isMore: true });
  say(socket, 255, new Uint8Array([0]));
  const [out, status] = await messages;
  expect(out).toBe('1:one two three');
  expect(JSON.parse(status!.slice(2))).toMatchObject({
    reason: 'NonZeroExitCode',
    details: { causes: [{ message: '3' }] },
  });
});

test('a client that leaves ends the command', async () => {
  const { socket } = open(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  socket.end();
  for await (const _ of socket);
});

test('what is no WebSocket, or speaks no protocol that is known, is refused', () => {
  const refused = (headers: Record<string, string>) => () =>
    openCommandSocket(requestWith(headers), { stdin: false, stderr: true, tty: false }, async () => 0);
  expect(refused({})).toThrow('Upgrade request required');
  expect(refused({ ...HEADERS, upgrade: 'SPDY/3.1' })).toThrow('Upgrade request required');
  expect(refused({ ...HEADERS, 'sec-websocket-protocol': 'v9' })).toThrow('none of the protocols is known: v9');
});
