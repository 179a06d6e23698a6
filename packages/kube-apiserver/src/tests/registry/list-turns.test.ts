import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers';
import { LARGE_BYTES } from '@pintle/apiserver/testing';
import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SMALL = '/api/v1/namespaces/default';
const TOGETHER = 10;
const JSON_FORM = 'application/json';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const INITIAL = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

async function openWith(name: string, bytes: number): Promise<TestServer> {
  const api = await openTestServer();
  const filler = Object.fromEntries(Array.from({ length: bytes / 64 }, (_, i) => [`label-${i}`, 'x'.repeat(50)]));
  const body = { metadata: { name, labels: { app: 'shop', ...filler } } };
  expect((await api.send('POST', MAPS, { body })).status).toBe(201);
  return api;
}

/** The first that comes of the answer: all of it, or the first event of a watch. */
async function begin(api: TestServer, path: string, accept: string): Promise<void> {
  const abort = new AbortController();
  const answer = await api.send('GET', path, { headers: { accept }, signal: abort.signal });
  expect(answer.status).toBe(200);
  if (!path.includes('watch=true')) await textOf(answer);
  else for await (const _event of answer.body as AsyncIterable<Uint8Array>) break;
  abort.abort();
}

/** In which turn of the event loop each of the requests, sent together, is answered, and a small one sent behind them. */
async function turnsOf(api: TestServer, path: string, accept: string): Promise<{ all: number[]; small: number }> {
  // What is loaded when it is first needed is there then.
  await begin(api, path, accept);
  await begin(api, SMALL, JSON_FORM);
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const requests = Array.from({ length: TOGETHER }, () => begin(api, path, accept).then(() => turn));
  const small = begin(api, SMALL, JSON_FORM).then(() => turn);
  const turns = { all: await Promise.all(requests), small: await small };
  isDone = true;
  return turns;
}

const READS: [what: string, path: string, accept: string][] = [
  ['lists as Table', MAPS, TABLE],
  ['pages as Table', `${MAPS}?limit=10`, TABLE],
  ['lists by label', `${MAPS}?labelSelector=app%3Dshop`, JSON_FORM],
  ['lists that find nothing', `${MAPS}?labelSelector=app%3Dother`, JSON_FORM],
  ['watches as Table', `${MAPS}?${INITIAL}`, TABLE],
  ['watches by label', `${MAPS}?${INITIAL}&labelSelector=app%3Dshop`, JSON_FORM],
  ['watches that find nothing', `${MAPS}?${INITIAL}&labelSelector=app%3Dother`, JSON_FORM],
];

test.each(READS)('%s that come together read a large object in turns of their own', async (_what, path, accept) => {
  await using api = await openWith('large', LARGE_BYTES);
  const { all, small } = await turnsOf(api, path, accept);
  expect(new Set(all).size).toBe(TOGETHER);
  expect(small).toBeLessThan(Math.min(...all));
});

test.each(READS)('%s that come together are answered at once when all is small', async (_what, path, accept) => {
  await using api = await openWith('small', LARGE_BYTES / 2);
  const { all, small } = await turnsOf(api, path, accept);
  expect(new Set([...all, small])).toEqual(new Set([0]));
});

/** Watches that have begun; gives the turn in which each hears of the next event. */
async function openWatches(api: TestServer, query: string, accept: string) {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const { resourceVersion } = JSON.parse(await textOf(await api.send('GET', MAPS))).metadata;
  const path = `${MAPS}?watch=true&resourceVersion=${resourceVersion}${query}`;
  const options = { headers: { accept }, signal: abort.signal };
  const answers = await Promise.all(Array.from({ length: TOGETHER }, () => api.send('GET', path, options)));
  const streams = answers.map(({ body }) => (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]());
  return { next: streams.map((stream) => stream.next()), abort };
}

const LIVE: [what: string, query: string, accept: string][] = [
  ['as Table', '', TABLE],
  ['by label', '&labelSelector=app%3Dshop', JSON_FORM],
  ['by label as Table', '&labelSelector=app%3Dshop', TABLE],
];

test.each(LIVE)('watches %s read a large object that changes in turns of their own', async (_what, query, accept) => {
  await using api = await openWith('large', LARGE_BYTES);
  const { next, abort } = await openWatches(api, query, accept);
  let turn = 0;
  const count = (): void => {
    turn++;
    if (!abort.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const heard = next.map((event) => event.then(() => turn));
  const body = { metadata: { name: 'large', labels: { app: 'shop' } }, data: { text: 'y'.repeat(LARGE_BYTES) } };
  expect((await api.send('PUT', `${MAPS}/large`, { body })).status).toBe(200);
  const turns = new Set(await Promise.all(heard)).size;
  expect(turns).toBe(TOGETHER);
  abort.abort();
});

/** Time passes while rows are printed: each asks once what time it is. */
class PrintingClock extends SteppedClock {
  rowMs = 0;
  #printedMs = 0;

  override now(): number {
    this.#printedMs += this.rowMs;
    return super.now();
  }

  override monotonic(): number {
    return super.monotonic() + this.#printedMs;
  }
}

/** In how many turns of the event loop watches as Table hear of a small object whose rows take so long. */
async function turnsOfRows(rowMs: number): Promise<number> {
  const clock = new PrintingClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  await using api = await openTestServer({ clock });
  expect((await api.send('POST', MAPS, { body: { metadata: { name: 'small' } } })).status).toBe(201);
  const { next, abort } = await openWatches(api, '', TABLE);
  let turn = 0;
  const count = (): void => {
    turn++;
    if (!abort.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const heard = next.map((event) => event.then(() => turn));
  clock.rowMs = rowMs;
  const body = { metadata: { name: 'small', labels: { app: 'shop' } } };
  expect((await api.send('PUT', `${MAPS}/small`, { body })).status).toBe(200);
  const turns = new Set(await Promise.all(heard)).size;
  abort.abort();
  return turns;
}

test('watches as Table print rows that take long in turns of their own, and others together', async () => {
  expect(await turnsOfRows(0)).toBe(1);
  // The first two take 30 ms together.
  expect(await turnsOfRows(15)).toBe(TOGETHER - 1);
  expect(await turnsOfRows(30)).toBe(TOGETHER);
});

/** In how many turns a watch as Table shows the small objects that are there. */
async function turnsOfInitial(rowMs: number): Promise<number> {
  const clock = new PrintingClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  await using api = await openTestServer({ clock });
  for (let i = 0; i < TOGETHER; i++) {
    expect((await api.send('POST', MAPS, { body: { metadata: { name: `small-${i}` } } })).status).toBe(201);
  }
  await begin(api, `${MAPS}?${INITIAL}`, TABLE);
  clock.rowMs = rowMs;
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await begin(api, `${MAPS}?${INITIAL}`, TABLE);
  isDone = true;
  return turn;
}

test('a watch as Table prints the first rows in turns of their own where they take long', async () => {
  expect(await turnsOfInitial(0)).toBe(0);
  expect(await turnsOfInitial(30)).toBeGreaterThanOrEqual(TOGETHER - 1);
});

test('large objects of a collection are deleted in turns of their own', async () => {
  await using api = await openWith('large', LARGE_BYTES);
  for (let i = 0; i < TOGETHER; i++) {
    const body = { metadata: { name: `large-${i}` }, data: { text: 'x'.repeat(LARGE_BYTES) } };
    expect((await api.send('POST', MAPS, { body })).status).toBe(201);
  }
  const { resourceVersion } = JSON.parse(await textOf(await api.send('GET', MAPS))).metadata;
  const abort = new AbortController();
  const watch = await api.send('GET', `${MAPS}?watch=true&resourceVersion=${resourceVersion}`, {
    signal: abort.signal,
  });
  let turn = 0;
  const count = (): void => {
    turn++;
    if (!abort.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const turns = new Set<number>();
  const deleting = api.send('DELETE', MAPS);
  let seen = 0;
  for await (const _event of watch.body as AsyncIterable<Uint8Array>) {
    turns.add(turn);
    if (++seen === TOGETHER + 1) break;
  }
  expect((await deleting).status).toBe(200);
  abort.abort();
  expect(turns.size).toBe(TOGETHER + 1);
});

test('a large write of one user waits for few of the hundreds of watches that another has of a large object', async () => {
  await using api = await openWith('large', LARGE_BYTES);
  const [mallory, alice] = ['mallory', 'alice'].map((username) => ({ username, groups: ['system:authenticated'] }));
  const role = 'rbac.authorization.k8s.io/v1';
  const subjects = [mallory, alice].map((user) => ({ kind: 'User', name: user!.username }));
  const bindings = { roleRef: { kind: 'ClusterRole', name: 'admin' }, subjects, metadata: { name: 'both' } };
  const rights = await api.send('POST', `/apis/${role}/clusterrolebindings`, { body: bindings });
  expect(rights.status).toBe(201);
  const write = (name: string, user: typeof alice) => {
    const body = { metadata: { name }, data: { text: `${Math.random()}`.repeat(LARGE_BYTES / 8) } };
    return api.send('PUT', `${MAPS}/${name}`, { body, user: user! });
  };
  expect((await api.send('POST', MAPS, { body: { metadata: { name: 'other' } } })).status).toBe(201);
  expect((await write('other', alice)).status).toBe(200);

  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const { resourceVersion } = JSON.parse(await textOf(await api.send('GET', MAPS))).metadata;
  const path = `${MAPS}?watch=true&resourceVersion=${resourceVersion}`;
  const options = { headers: { accept: TABLE }, signal: abort.signal, user: mallory! };
  let heard = 0;
  for (let i = 0; i < 300; i++) {
    const { body } = await api.send('GET', path, options);
    const next = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next();
    void next.then(() => heard++);
  }
  expect((await write('large', mallory)).status).toBe(200);
  expect((await write('other', alice)).status).toBe(200);
  expect(heard).toBeLessThan(150);
  abort.abort();
});
