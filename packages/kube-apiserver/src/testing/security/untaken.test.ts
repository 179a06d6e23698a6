import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { UntakenServerReady } from './untaken-server.ts';

const PROGRAM = fileURLToPath(new URL('../../../dist/testing/security/untaken-server.js', import.meta.url));
const HEAP_MB = 160;
const MAPS = '/api/v1/configmaps';
const LISTS = 45;
/** The answer that tells is on its way itself. */
const NEARLY_NOTHING = 500_000;
const META = 'g=meta.k8s.io;v=v1';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const sessions = new Set<ClientHttp2Session>();
let server: Server;

beforeAll(async () => {
  server = await openServer();
}, 60_000);

afterEach(async () => {
  for (const session of sessions) session.destroy();
  sessions.clear();
  // Answers whose clients are gone are not held either.
  while ((await server.gauge('pintle_response_memory_bytes')) > NEARLY_NOTHING)
    expect(server.child.exitCode).toBeNull();
});

afterAll(() => {
  server.child.kill('SIGKILL');
});

/** A server with a small heap and 30 MB of config maps. */
async function openServer() {
  const child = fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [ready] = (await once(child, 'message')) as [UntakenServerReady];
  const open = (settings = {}): ClientHttp2Session => {
    const session = connect(`https://127.0.0.1:${ready.port}`, { ca: ready.authority, settings });
    session.on('error', () => {});
    return session;
  };
  const friendly = open();
  const ask = async (token: string, path: string): Promise<{ status: number; text: string }> => {
    const stream = friendly.request({ ':path': path, authorization: `Bearer ${token}` });
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return { status: headers[':status'], text };
  };
  const gauge = async (name: string): Promise<number> => {
    const { text } = await ask('admin', '/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    expect(line).toBeDefined();
    return Number(line?.slice(name.length));
  };
  return { child, open, ask, gauge };
}

type Server = Awaited<ReturnType<typeof openServer>>;

/** Asks for lists and takes nothing of them. Gives the statuses of those that were answered once all are answered or wait. */
async function leaveUntaken(path: string, headers: Record<string, string>): Promise<number[]> {
  const session = server.open({ initialWindowSize: 0 });
  sessions.add(session);
  const statuses: number[] = [];
  for (let i = 0; i < LISTS; i++) {
    const stream = session.request({ ':path': path, authorization: 'Bearer mallory', ...headers });
    stream.on('response', (headers) => statuses.push(Number(headers[':status'])));
    stream.on('error', () => {});
  }
  while (statuses.length + (await server.gauge('pintle_response_memory_waiting_requests')) < LISTS) {
    expect(server.child.exitCode).toBeNull();
  }
  return statuses;
}

test.each([
  ['protobuf', MAPS, PROTOBUF],
  ['YAML', MAPS, 'application/yaml'],
  ['indented JSON', `${MAPS}?pretty=true`, 'application/json'],
  ['JSON', MAPS, 'application/json'],
  ['a page of JSON', `${MAPS}?limit=100000`, 'application/json'],
  ['a page of protobuf', `${MAPS}?limit=1999`, PROTOBUF],
  ['a table', `${MAPS}?includeObject=Object`, `application/json;as=Table;${META}`],
  ['a table of YAML', `${MAPS}?includeObject=Object`, `application/yaml;as=Table;${META}`],
  ['metadata as protobuf', MAPS, `${PROTOBUF};as=PartialObjectMetadataList;${META}`],
  ['compressed protobuf', MAPS, PROTOBUF],
])(
  'lists of a large collection as %s that nobody takes hold no more memory than they may',
  { timeout: 60_000 },
  async (form, path, accept) => {
    const statuses = await leaveUntaken(path, {
      accept,
      'accept-encoding': form.startsWith('compressed') ? 'gzip' : 'identity',
    });

    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1);
    const limit = await server.gauge('pintle_response_memory_limit_bytes');
    expect(await server.gauge('pintle_response_memory_bytes')).toBeLessThanOrEqual(limit / 4);
    expect((await server.ask('alice', '/api/v1/namespaces/default/configmaps/map-00000')).status).toBe(200);
    expect((await server.ask('alice', `${MAPS}?limit=10`)).status).toBe(200);
    expect(server.child.exitCode).toBeNull();
  },
);

test.each([
  ['objects', '/api/v1/namespaces/default/configmaps/map-00001', '*/*', 15_500],
  ['objects as protobuf', '/api/v1/namespaces/default/configmaps/map-00001', PROTOBUF, 15_500],
  ['documents', '/openapi/v2', '*/*', 2_000_000],
])(
  '%s that nobody takes count against who asked for them, on however many connections',
  {
    timeout: 60_000,
  },
  async (_what, path, accept, bytes) => {
    const limit = (await server.gauge('pintle_response_memory_limit_bytes')) / 4;
    const statuses: number[] = [];
    const isFull = async (): Promise<boolean> =>
      (await server.gauge('pintle_response_memory_waiting_requests')) > 0 || statuses.includes(429);
    for (let connections = 0; !(await isFull()); connections++) {
      expect(connections).toBeLessThan(20);
      const session = server.open({ initialWindowSize: 0 });
      sessions.add(session);
      const answered = Array.from({ length: 90 }, async () => {
        const stream = session.request({ ':path': path, accept, authorization: 'Bearer mallory' });
        stream.on('error', () => {});
        const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
        statuses.push(headers[':status']);
      });
      // Those that wait are answered when the session ends, or not at all.
      for (const each of answered) each.catch(() => {});
    }

    expect(await server.gauge('pintle_response_memory_bytes')).toBeLessThanOrEqual(limit + 90 * bytes);
    expect((await server.ask('alice', '/api/v1/namespaces/default/configmaps/map-00000')).status).toBe(200);
  },
);

test('events of a large object that nobody takes count against who watches it', { timeout: 60_000 }, async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const openSession = (settings = {}): ClientHttp2Session => {
    const session = server.open(settings);
    sessions.add(session);
    return session;
  };
  const create = async (data: object): Promise<number> => {
    const stream = openSession().request({ ':method': 'POST', ':path': path, authorization: 'Bearer admin' });
    stream.resume().end(JSON.stringify({ metadata: { name: 'big' }, data }));
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    return headers[':status'];
  };
  let opened = 0;
  let ended = 0;
  const untaking = Array.from({ length: 3 }, () => openSession({ initialWindowSize: 0 }));
  for (let i = 0; i < 200; i++) {
    const session = untaking[i % untaking.length]!;
    const accept = `application/json;as=Table;${META}`;
    const query = '?watch=1&includeObject=Object&fieldSelector=metadata.name%3Dbig';
    const stream = session.request({ ':path': `${path}${query}`, accept, authorization: 'Bearer mallory' });
    stream.on('response', () => opened++).on('error', () => {});
    stream.on('close', () => ended++).resume();
  }
  await expect.poll(() => opened, { timeout: 20_000 }).toBe(200);
  expect(await create({ text: 'x'.repeat(400_000) })).toBe(201);
  await expect.poll(() => ended, { timeout: 20_000 }).toBeGreaterThan(50);
  const limit = await server.gauge('pintle_response_memory_limit_bytes');
  expect(await server.gauge('pintle_response_memory_bytes')).toBeLessThanOrEqual(limit / 4);
  expect((await server.ask('alice', '/api/v1/namespaces/default/configmaps/map-00000')).status).toBe(200);
});
