import type { UserInfo } from '@pintle/apiserver';
import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SLOW: UserInfo = { username: 'slow', groups: ['system:authenticated'] };
const OTHER: UserInfo = { username: 'other', groups: ['system:authenticated'] };
const ALLOWED = { authorizer: { authorize: () => ({ allowed: true, reason: '' }) as const } };
const MB = 1024 * 1024;

/** Sends some of a body, and the rest when it is told to. */
async function* slowBody(
  first: Uint8Array,
  onWanted: () => void,
  rest: Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  onWanted();
  yield await rest;
}

/** Requests whose bodies have begun once `begun` resolves. */
function begin(api: TestServer, count: number, first: Uint8Array) {
  const rest = deferred<Uint8Array>();
  const aborts: AbortController[] = [];
  const wanted = Array.from({ length: count }, () => deferred<void>());
  const answers = wanted.map(({ resolve }) => {
    const abort = new AbortController();
    aborts.push(abort);
    const body = slowBody(first, () => resolve(), rest.promise);
    return api.send('POST', MAPS, { user: SLOW, body, signal: abort.signal });
  });
  const begun = Promise.race([Promise.all(wanted.map(({ promise }) => promise)), Promise.all(answers)]);
  return { begun, rest, answers, abort: () => aborts.forEach((abort) => void abort.abort()) };
}

const named = (name: string): Buffer => Buffer.from(JSON.stringify({ metadata: { name } }));

test('requests that do not send their bodies keep nobody else from being served', async () => {
  await using api = await openTestServer(ALLOWED);
  const { begun, rest, answers } = begin(api, 1_000, Buffer.from(' '));
  await begun;
  for (let i = 0; i < 20; i++) {
    const body = { metadata: { name: `map-${i}` } };
    expect((await api.send('POST', MAPS, { user: OTHER, body })).status).toBe(201);
  }
  rest.resolve(named('late'));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
});

test('bodies that are awaited count as memory of their user until the request ends', async () => {
  await using api = await openTestServer({ ...ALLOWED, responseMemory: { maxBytes: 64 * MB } });
  const held = async (): Promise<number> => {
    const text = await textOf(await api.send('GET', '/metrics'));
    return Number(/^pintle_response_memory_bytes (\d+)/m.exec(text)?.[1]);
  };
  // Of 16 MB that a user may hold.
  const first = begin(api, 7, Buffer.alloc(2 * MB, ' '));
  await first.begun;
  expect(await held()).toBeGreaterThan(14 * MB - 1);
  const second = begin(api, 5, Buffer.alloc(2 * MB, ' '));
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(await held()).toBeLessThan(16 * MB + 1);
  await api.clock.advance(10_000);
  const refused = (await Promise.race(second.answers)).status;
  expect(refused).toBe(429);
  expect((await api.send('POST', MAPS, { user: OTHER, body: { metadata: { name: 'a' } } })).status).toBe(201);
  first.abort();
  second.abort();
  await Promise.all([...first.answers, ...second.answers]);
  expect(await held()).toBeLessThan(MB);
});

test('a body that is too long is refused behind authorization', async () => {
  const long = async function* (): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 5; i++) yield Buffer.alloc(MB, ' ');
  };
  await using api = await openTestServer(ALLOWED);
  expect((await api.send('POST', MAPS, { user: SLOW, body: long() })).status).toBe(413);
  await using closed = await openTestServer({ authorizer: { authorize: () => ({ allowed: false, reason: '' }) } });
  expect((await closed.send('POST', MAPS, { user: SLOW, body: long() })).status).toBe(403);
});
