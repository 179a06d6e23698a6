import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { HttpEndpoints } from './http-endpoints.ts';

async function ask(port: number, target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  let heard = '';
  for await (const chunk of socket) heard += String(chunk);
  return heard.split('\r\n', 1)[0]!;
}

test.each(['//', '///', '//[', '//a:b', 'http://[', '/%ff', '/\\'])(
  'a target that no URL begins with, %s, is answered as any other',
  async (target) => {
    const stop = new AbortController();
    const answer = async () => ({ status: 200, body: 'ok' });
    const endpoints = new HttpEndpoints({ port: 0, host: '127.0.0.1' }, new Map([['healthz', answer]]));
    const running = endpoints.run({ signal: stop.signal });
    await endpoints.started;
    try {
      expect(await ask(endpoints.port, target)).toMatch(/ 40[04] /);
      expect(await ask(endpoints.port, '/healthz?verbose')).toContain(' 200 ');
    } finally {
      stop.abort();
      await running;
    }
  },
);

test('of a thousand pipelined requests one is answered, and none else is worked on', async () => {
  const stop = new AbortController();
  let calls = 0;
  const answer = async () => {
    calls++;
    return { status: 200, body: 'x'.repeat(100_000) };
  };
  const endpoints = new HttpEndpoints({ port: 0, host: '127.0.0.1' }, new Map([['metrics', answer]]));
  const running = endpoints.run({ signal: stop.signal });
  await endpoints.started;
  try {
    const socket = connect(endpoints.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000));
    socket.resume();
    await once(socket, 'close');
    expect(calls).toBe(1);
  } finally {
    stop.abort();
    await running;
  }
});
