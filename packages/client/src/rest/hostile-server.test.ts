import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deferred, SteppedClock } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { expect, onTestFinished, test } from 'vitest';
import { discover } from '../discovery/discover.ts';
import { ClientError } from '../errors.ts';
import { Reflector } from '../informer/reflector.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { Client } from './client.ts';

type Answer = (socket: Socket, path: string, count: number) => void;

/** A client of a server that answers by a script; `seen` has the paths it was asked for. */
async function clientOf(answer: Answer, options: { readonly timeoutMs?: number } = {}) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      for (const [, path] of bytes.toString('latin1').matchAll(/^(?:GET|POST) (\S+) HTTP/gm)) {
        seen.push(path!);
        answer(socket, path!, seen.length);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = new HttpTransport({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    await transport.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { client: new Client({ transport, ...options }), seen, sockets };
}

const json = (value: unknown): string => {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};
const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const PIECES = 300_000;
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Sends so many chunks of a single byte, and no more. */
function trickle(socket: Socket): void {
  socket.write(CHUNKED);
  socket.write('1\r\n \r\n'.repeat(PIECES));
}

/** A client that tells when somebody has taken all the pieces. */
async function trickledOn() {
  const { client } = await clientOf(trickle);
  const taken = deferred<void>();
  const counting = client.intercepted(async (request, next) => {
    const response = await next(request);
    return { ...response, body: count(response.body as AsyncIterable<Uint8Array>) };
  });
  async function* count(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let pieces = 0;
    for await (const chunk of body) {
      yield chunk;
      pieces += chunk.length;
      if (pieces === PIECES) taken.resolve();
    }
  }
  return { client: counting, taken: taken.promise };
}

test.each<[string, (client: Client, signal: AbortSignal) => Promise<unknown>]>([
  ['a body', (client, signal) => client.get(ConfigMap, { namespace: 'a', name: 'b' }, { signal })],
  ['an event', (client, signal) => client.watch(ConfigMap, { signal }).next()],
])(
  '%s in chunks of one byte takes no more room than its bytes',
  async (_what, ask) => {
    const { client, taken } = await trickledOn();
    const before = heldBytes();
    const aborted = new AbortController();
    const answer = ask(client, aborted.signal);
    answer.catch(() => undefined);
    await taken;
    expect(heldBytes() - before).toBeLessThan(MAX_HELD_BYTES);
    aborted.abort();
    await expect(answer).rejects.toThrow();
  },
  60_000,
);

test.each<[string, unknown]>([
  ['no body', ''],
  ['null', 'null'],
  ['a text', '"list"'],
  ['a list of lists', '[]'],
  ['items that are no list', { items: { length: 1 }, metadata: {} }],
  ['an item that is null', { items: [null], metadata: {} }],
  ['an item that is a text', { items: ['x'], metadata: {} }],
  ['an item without metadata', { items: [{ kind: 'ConfigMap' }], metadata: {} }],
  ['metadata that is none', { items: [], metadata: 'x' }],
  ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
])('a list that is %s is unreadable', async (_what, body) => {
  const { client } = await clientOf((socket) => socket.write(json(body)));
  await expect(client.list(ConfigMap)).rejects.toSatisfy(isUnreadable);
  await expect(client.each(ConfigMap).next()).rejects.toSatisfy(isUnreadable);
});

test.each(['', 'null', '"x"', '[]', '7'])('an object that is %j is unreadable', async (body) => {
  const { client } = await clientOf((socket) => socket.write(json(body)));
  await expect(client.get(ConfigMap, { name: 'a', namespace: 'b' })).rejects.toSatisfy(isUnreadable);
});

function isUnreadable(error: unknown): boolean {
  return error instanceof ClientError && error.failure.code === 'Unreadable';
}

test('a list that goes on with the token it was asked with is given up', async () => {
  const page = { metadata: { continue: 'again', resourceVersion: '1' }, items: [] };
  const { client, seen } = await clientOf((socket) => socket.write(json(page)));
  await expect(client.each(ConfigMap).next()).rejects.toSatisfy(isUnreadable);
  expect(seen).toHaveLength(2);
});

test('a reflector gives up such a list as well', async () => {
  const page = { metadata: { continue: 'again', resourceVersion: '1' }, items: [] };
  const { client, seen } = await clientOf((socket) => socket.write(json(page)));
  const stop = new AbortController();
  const failure = await new Promise<unknown>((resolve) => {
    const sink = { replace: () => undefined, apply: () => undefined, progress: () => undefined };
    const reflector = new Reflector({
      client,
      type: ConfigMap,
      sink,
      streamsList: false,
      onError: resolve,
      clock: new SteppedClock(),
    });
    void reflector.run({ signal: stop.signal });
  });
  stop.abort();
  expect(isUnreadable(failure)).toBe(true);
  expect(seen).toHaveLength(2);
});

test.each(['1e308', '999999999'])(
  'a server that asks to wait for %s seconds is asked again after five minutes',
  async (seconds) => {
    const { client, seen } = await clientOf((socket) => {
      socket.write(`HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${seconds}\r\nContent-Length: 0\r\n\r\n`);
    });
    const clock = new SteppedClock();
    const stop = new AbortController();
    const failures: unknown[] = [];
    let hear: () => void = () => undefined;
    const sink = { replace: () => undefined, apply: () => undefined, progress: () => undefined };
    const onError = (error: unknown): void => {
      failures.push(error);
      hear();
    };
    const reflector = new Reflector({ client, type: ConfigMap, sink, clock, onError });
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    const running = reflector.run({ signal: stop.signal });
    await heard;
    const again = new Promise<void>((resolve) => {
      hear = resolve;
    });
    await clock.advance(5 * 60_000);
    await again;
    expect(seen).toHaveLength(2);
    stop.abort();
    await running;
  },
);

test('a server that never ends its interim responses is given up', async () => {
  const { client, sockets } = await clientOf((socket) => {
    const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1_000));
    const more = (): void => {
      if (!socket.destroyed) socket.write(interim, more);
    };
    more();
  });
  await expect(client.get(ConfigMap, { namespace: 'a', name: 'b' })).rejects.toThrow('interim');
  expect(sockets.size).toBeLessThanOrEqual(1);
});

test('discovery asks for nothing outside the paths of the API, nor for everything at once', async () => {
  let underWay = 0;
  let most = 0;
  const hostile = [
    '../../secrets',
    '%2e%2e/v1',
    'a/b/c',
    'v1?x=y',
    'v1#',
    '',
    '/',
    'a/',
    '..',
    'a/..',
    'x\\y',
    7,
    null,
  ];
  const honest = Array.from({ length: 200 }, (_, index) => `g${index}.example.com/v1`);
  const { client, seen } = await clientOf((socket, path) => {
    if (path === '/api') return void socket.write(json({ kind: 'APIVersions', versions: [] }));
    if (path === '/apis') {
      const versions = [...hostile, ...honest].map((groupVersion) => ({ groupVersion }));
      return void socket.write(json({ kind: 'APIGroupList', groups: [{ name: 'g', versions }] }));
    }
    most = Math.max(most, ++underWay);
    setImmediate(() => {
      underWay--;
      socket.write(json({ groupVersion: path.slice('/apis/'.length), resources: [] }));
    });
  });
  const { stale } = await discover(client);
  expect(seen.slice(2).toSorted()).toEqual(honest.map((name) => `/apis/${name}`).toSorted());
  expect(most).toBeLessThanOrEqual(16);
  expect(stale).toHaveLength(hostile.length);
});

test('discovery reads many resources in one pass', async () => {
  const count = 50_000;
  let reads = 0;
  const resources = Array.from({ length: count }, (_, index) => ({
    get name() {
      reads++;
      return index % 2 === 0 ? `r${index}` : `r${index - 1}/status`;
    },
    kind: 'R',
    namespaced: true,
    verbs: ['get'],
  }));
  const client = {
    call: async ({ path }: { readonly path: string }) => {
      if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
      return path === '/apis' ? { kind: 'APIGroupList', groups: [] } : { groupVersion: 'v1', resources };
    },
  } as unknown as Client;
  const found = await discover(client);
  expect(found.resources).toHaveLength(count / 2);
  expect(found.resources[0]!.subresources).toEqual(['status']);
  expect(reads).toBeLessThan(count * 10);
});

test.each<[string, unknown]>([
  ['null', null],
  ['groups that are none', { kind: 'APIGroupDiscoveryList', items: [null, 7, { versions: 3 }] }],
  ['versions that are none', { kind: 'APIGroupDiscoveryList', items: [{ metadata: { name: 'a' }, versions: [null] }] }],
  [
    'resources that are none',
    {
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name: 'a' }, versions: [{ version: 'v1', resources: [null, { resource: '../x' }] }] }],
    },
  ],
  ['legacy groups that are none', { kind: 'APIGroupList', groups: [null, { versions: 'x' }] }],
])('discovery that answers with %s fails as unreadable or offers nothing', async (_what, body) => {
  const { client } = await clientOf((socket) => socket.write(json(body)));
  const outcome = await discover(client).catch((error: unknown) => error);
  if (outcome instanceof Error) expect(outcome).toSatisfy(isUnreadable);
  else expect(outcome).toMatchObject({ resources: [] });
});
