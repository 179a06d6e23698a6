import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { realClock, SeededRandom } from '@pintle/async';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { Http1Connections } from './http1-connections.ts';
import { readAll, type TransportResponse } from './transport.ts';

/** A server, and how to ask it; `count`: of the requests before. */
async function serve(answer: (socket: Socket, count: number) => void) {
  const sockets: Socket[] = [];
  let count = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => answer(socket, count++));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const connections = new Http1Connections({ server: url, alpn: ['http/1.1'] }, realClock);
  onTestFinished(async () => {
    await connections.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { send: (method = 'GET') => connections.send({ method, path: '/' }, '/'), sockets };
}

async function ask(text: string, { method = 'GET', isClosed = true } = {}) {
  const { send } = await serve((socket) => (isClosed ? socket.end(text, 'latin1') : socket.write(text, 'latin1')));
  return await send(method);
}

const textOf = async (response: TransportResponse) => Buffer.from(await readAll(response)).toString('latin1');
const lines = (...all: string[]) => all.join('\r\n');

describe('a response is the same however it is cut', () => {
  const sized = lines('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 11', '', 'hello world');
  const chunked = lines(
    'HTTP/1.1 200 OK',
    'Transfer-Encoding: chunked',
    '',
    '5',
    'hello',
    '6;name="v"',
    ' world',
    '000',
    'X-Sum: 1',
    '',
    '',
  );
  const put = lines('HTTP/1.1 100 Continue', '', 'HTTP/1.1 103 Early Hints', 'Link: </x>', '', sized);
  test.each(Object.entries({ sized, chunked, put }))('%s', async (_, text) => {
    const { send, sockets } = await serve((socket, cut) => {
      socket.write(text.slice(0, cut));
      setImmediate(() => socket.write(text.slice(cut)));
    });
    for (let cut = 0; cut < text.length; cut++) {
      const response = await send();
      expect([response.status, await textOf(response)]).toEqual([200, 'hello world']);
    }
    expect(sockets).toHaveLength(1);
  });
});

test('responses without a body end with their head, whatever length they speak of', async () => {
  const head = lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', '');
  expect((await ask(head, { method: 'HEAD', isClosed: false })).body).toHaveLength(0);
  for (const status of [204, 304]) {
    const response = await ask(lines(`HTTP/1.1 ${status} x`, '', ''), { isClosed: false });
    expect(response).toMatchObject({ status, body: { length: 0 } });
  }
});

test('the server says whether it takes another request', async () => {
  const connectionsOf = async (version: string, connection?: string): Promise<number> => {
    const headers = ['Content-Length: 0', ...(connection ? [`Connection: ${connection}`] : [])];
    const { send, sockets } = await serve((socket) =>
      socket.write(lines(`HTTP/1.${version} 200 OK`, ...headers, '', '')),
    );
    await send();
    await send();
    return sockets.length;
  };
  expect(await connectionsOf('1')).toBe(1);
  expect(await connectionsOf('1', 'Upgrade, Close')).toBe(2);
  expect(await connectionsOf('0')).toBe(2);
  expect(await connectionsOf('0', 'Keep-Alive')).toBe(1);
});

test('headers have lower-case names; several of a name are joined, warnings are kept apart', async () => {
  const { headers } = await ask(
    lines(
      'HTTP/1.1 200 OK',
      'X-A: 1',
      'x-a:\t2 ',
      'Warning: 299 - "a, b"',
      'Warning: 299 - "c"',
      '__proto__: plain',
      'Content-Length: 0',
      '',
      '',
    ),
  );
  expect(headers).toMatchObject({ 'x-a': '1, 2', warning: ['299 - "a, b"', '299 - "c"'], 'content-length': '0' });
  expect(Object.keys(headers)).toContain('__proto__');
  expect(({} as Record<string, unknown>).plain).toBeUndefined();
});

describe('bytes that are no response are told as no answer', () => {
  // Whoever overlooks what is wrong finds a whole body.
  const withHeaders = (...headers: string[]) => lines('HTTP/1.1 200 OK', ...headers, '', 'hello');
  const bodied = (...body: string[]) => lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', ...body);
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['another version', lines('HTTP/2 200', '', 'hello')],
    ['no status', lines('HTTP/1.1 OK', '', 'hello')],
    ['a protocol nobody asked for', lines('HTTP/1.1 101 Switching Protocols', 'Upgrade: x', '', '')],
    ['another protocol, agreed on', withUpgrade('Connection: upgrade', 'Upgrade: x')],
    ['another protocol that has no name', withUpgrade()],
    ['a header without a name', withHeaders(': x')],
    ['a header without a colon', withHeaders('X-A')],
    ['a space before the colon', withHeaders('Content-Length : 5')],
    ['a header that goes on in the next line', withHeaders('X-A: 1', ' Content-Length: 5')],
    ['a control in a header', withHeaders('X-A: a\u0000b')],
    ['a line feed alone', 'HTTP/1.1 200 OK\nX-A: 1\n\r\n\r\n'],
    ['the same length twice', withHeaders('Content-Length: 5', 'Content-Length: 5')],
    ['two lengths', withHeaders('Content-Length: 5', 'Content-Length: 6')],
    ['a list of lengths', withHeaders('Content-Length: 5, 5')],
    ['a length that is no number', withHeaders('Content-Length: +5')],
    ['a length that is no number where nothing follows', lines('HTTP/1.1 204 No Content', 'Content-Length: x', '', '')],
    ['a length beyond all numbers', withHeaders(`Content-Length: ${'9'.repeat(30)}`)],
    ['a length and chunks', lines('HTTP/1.1 200 OK', 'Content-Length: 5', ...CHUNKS)],
    ['a chunk without a length', bodied('', 'x')],
    ['a chunk of a length that is none', bodied('0x5', 'hello')],
    ['a chunk of a negative length', bodied('-5', 'hello')],
    ['a chunk of a length beyond all numbers', bodied('f'.repeat(20), 'hello')],
    ['a chunk that is longer than it says', bodied('4', 'hello', '0', '', '')],
    ['a chunk whose length ends in a line feed alone', bodied('5\nhello', '0', '', '')],
    ['a length of a chunk that does not end', bodied(`5;${'x'.repeat(20_000)}`)],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(70_000)}`],
    ['headers after the body that do not end', bodied('0', ...Array<string>(10_000).fill('X-Aaaaaaa: 1'), '', '')],
    ['a body that ends early', lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hell')],
    ['chunks that end early', bodied('5', 'hello', '')],
    ['nothing', ''],
  ])('%s', async (_, text) => {
    await expect(ask(text).then(textOf)).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
  });
});

const CHUNKS = ['Transfer-Encoding: chunked', '', '5', 'hello', '0', '', ''];

function withUpgrade(...headers: string[]): string {
  return lines('HTTP/1.1 101 Switching Protocols', ...headers, '', '');
}

test('a head without an end is given up long before it has taken much room', async () => {
  const { send, sockets } = await serve((socket) => {
    const words = Buffer.from('x'.repeat(1_000));
    const more = (): void => {
      if (!socket.destroyed) socket.write(words, more);
    };
    socket.write('HTTP/1.1 200 OK\r\nX-A: ', more);
  });
  await expect(send()).rejects.toMatchObject({ failure: { code: 'Unreachable', isSent: true } });
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test('whatever a server sends, a request has an answer or an error', async () => {
  const seed = 20261118;
  const random = new SeededRandom(seed);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const whole = Buffer.from(lines('HTTP/1.1 103 Hints', '', 'HTTP/1.1 200 OK', 'X-A: 1', ...CHUNKS).repeat(2));
  let sent = Buffer.alloc(0);
  const { send } = await serve((socket) => {
    sent = Buffer.from(whole.subarray(0, below(whole.length + 1)));
    for (let change = below(4); change > 0 && sent.length > 0; change--) sent[below(sent.length)] = below(256);
    const cut = below(sent.length + 1);
    socket.write(sent.subarray(0, cut));
    setImmediate(() => socket.end(sent.subarray(cut)));
  });
  for (let count = 0; count < 500; count++) {
    const outcome = await send()
      .then(textOf)
      .catch((error: unknown) => error);
    expect(
      typeof outcome === 'string' || outcome instanceof ClientError,
      `seed ${seed}: ${sent.toString('latin1')}`,
    ).toBe(true);
  }
});
