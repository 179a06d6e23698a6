import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect } from 'node:http2';
import { HttpsListener } from '@pintle/apiserver';
import { decodeProtobufObject } from '@pintle/apiserver/testing';
import type { JsonObject } from '@pintle/machinery/json';
import { decodeWatchFrame, splitFrames } from '@pintle/machinery/protobuf';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { ADMIN, openTestServer } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf;stream=watch';
const MAX_FRAME_BYTES = 1_000_000;

let api: TestServer;
let listener: HttpsListener;
let session: ClientHttp2Session;

beforeAll(async () => {
  api = await openTestServer({ authenticator: { authenticate: () => ({ user: ADMIN, source: 'test' }) } });
  const authority = await createAuthority('test', 1, Date.now());
  const identity = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
  const pair = await issueCertificate(authority, identity, Date.now());
  listener = await HttpsListener.listen({ handle: (request) => api.server.handle(request), ...pair });
  session = connect(`https://127.0.0.1:${listener.port}`, { ca: authority.certificate });
});

afterAll(async () => {
  session.destroy();
  await listener.close({ graceMs: 0 });
  await api[Symbol.asyncDispose]();
});

const put = async (name: string, text: string): Promise<void> => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { text } }, data: { text } };
  const { status } = await api.send('PUT', `${MAPS}/${name}`, { body });
  if (status === 404) await api.send('POST', MAPS, { body });
};

interface Opened {
  readonly stream: ClientHttp2Stream;
  readonly contentType: string;
}

async function open(query: string, accept: string, path = MAPS): Promise<Opened> {
  const stream = session.request({ ':path': `${path}?watch=true&${query}`, accept });
  const [headers] = await once(stream, 'response');
  return { stream, contentType: headers['content-type'] };
}

/** The first events of a protobuf watch, as type and object. */
async function frames({ stream }: Opened, count: number): Promise<[string, JsonObject][]> {
  const events: [string, JsonObject][] = [];
  let rest = Buffer.alloc(0);
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    const split = splitFrames(Buffer.concat([rest, bytes]), MAX_FRAME_BYTES);
    rest = Buffer.from(split.rest);
    for (const payload of split.payloads) {
      const { type, object } = decodeWatchFrame(payload);
      events.push([type, decodeProtobufObject(object, { apiVersion: '', kind: '' })]);
    }
    if (events.length >= count) break;
  }
  stream.close();
  return events;
}

/** The first events of a JSON watch. */
async function lines({ stream }: Opened, count: number): Promise<{ type: string; object: JsonObject }[]> {
  let text = '';
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
    text += bytes;
    if (text.split('\n').length > count) break;
  }
  stream.close();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

test('a bookmark is an object of its kind that nobody has filled in', async () => {
  const query = 'labelSelector=none&allowWatchBookmarks=true';
  const bookmarkOf = async (path: string, accept = 'application/json'): Promise<JsonObject> => {
    const [event] = await lines(await open(query, accept, path), 1);
    expect(event!.type).toBe('BOOKMARK');
    return event!.object;
  };
  const metadata = expect.objectContaining({ annotations: { 'k8s.io/initial-events-end': 'true' } });
  expect(await bookmarkOf('/api/v1/pods')).toEqual({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: { containers: null },
    status: {},
  });
  expect(await bookmarkOf('/apis/apps/v1/replicasets')).toMatchObject({ spec: { replicas: 0, selector: null } });
  for (const [path, cells] of [
    ['/apis/storage.k8s.io/v1/csidrivers', ['', true, false, false, '<unset>', false, '<none>', '<unknown>']],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', ['', '0001-01-01T00:00:00Z']],
  ] as const)
    expect(await bookmarkOf(path, TABLE)).toMatchObject({ rows: [{ cells }] });
});

describe('A watch in protobuf', () => {
  test('is a stream of frames with their lengths before them', async () => {
    await put('proto', 'one');
    const opened = await open('fieldSelector=metadata.name%3Dproto&allowWatchBookmarks=true', PROTOBUF);
    expect(opened.contentType).toBe(PROTOBUF);
    const seen = frames(opened, 4);
    await put('proto', 'two');
    await api.send('DELETE', `${MAPS}/proto`);
    const events = await seen;
    expect(events.map(([type]) => type)).toEqual(['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED']);
    const [added, bookmark, modified, deleted] = events.map(
      ([, object]) => object as JsonObject & { metadata: JsonObject },
    );
    expect(added).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { text: 'one' } });
    expect(bookmark).toMatchObject({
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(modified).toMatchObject({ metadata: { name: 'proto' }, data: { text: 'two' } });
    expect(Number(deleted!.metadata.resourceVersion)).toBeGreaterThan(Number(modified!.metadata.resourceVersion));
  });

  test('tells trouble in a frame too', async () => {
    const [[type, status]] = (await frames(await open('resourceVersion=1', PROTOBUF), 1)) as [[string, JsonObject]];
    expect(type).toBe('ERROR');
    expect(status).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
  });

  test('shows metadata alone to those who ask for it', async () => {
    await put('partial', 'one');
    const accept = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const [[type, object]] = (await frames(await open('labelSelector=text%3Done', accept), 1)) as [
      [string, JsonObject],
    ];
    expect([type, object.kind, object.apiVersion]).toEqual(['ADDED', 'PartialObjectMetadata', 'meta.k8s.io/v1']);
    expect(object).toMatchObject({ metadata: { name: 'partial' } });
    expect(object).not.toHaveProperty('data');
  });

  test('has no tables: those come as JSON', async () => {
    const accept = `application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1`;
    const opened = await open('labelSelector=text%3Done', accept);
    expect(opened.contentType).toBe('application/json');
    const [first] = await lines(opened, 1);
    expect(first?.object).toMatchObject({ kind: 'Table', columnDefinitions: [{ name: 'Name' }, {}, {}] });
  });
});

describe('A watch', () => {
  test('sends more than one chunk of what is there, in order, and goes on with what happens', async () => {
    const names = Array.from({ length: 300 }, (_, i) => `many-${String(i).padStart(3, '0')}`);
    for (const name of names) await put(name, 'many');
    const opened = await open('labelSelector=text%3Dmany', 'application/json');
    const seen = lines(opened, 301);
    await put('last', 'many');
    const events = await seen;
    expect(events.map(({ object }) => (object.metadata as JsonObject).name)).toEqual([...names, 'last']);
  });

  test('gives all watchers the same bytes of an event', async () => {
    const watch = async () => {
      const { body } = await api.send('GET', `${MAPS}?watch=true&resourceVersion=${api.store.revision}`);
      return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    };
    const watchers = [await watch(), await watch()];
    const chunks = watchers.map((watcher) => watcher.next());
    await put('shared', 'one');
    const [first, second] = await Promise.all(chunks);
    expect(first!.value).toBe(second!.value);
    for (const watcher of watchers) await watcher.return?.();
  });

  test('ends when it is left while it waits', async () => {
    const { body } = await api.send('GET', `${MAPS}?watch=true&resourceVersion=${api.store.revision}`);
    const watcher = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const waiting = watcher.next();
    await watcher.return?.();
    expect((await waiting).done).toBe(true);
  });

  test('ends with the signal of whoever asked', async () => {
    const leaving = new AbortController();
    const path = `${MAPS}?watch=true&resourceVersion=${api.store.revision}`;
    const { body } = await api.send('GET', path, { signal: leaving.signal });
    const waiting = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().next();
    leaving.abort();
    expect((await waiting).done).toBe(true);
  });
});

test('a watch whose time is less than none is over before anything is told', async () => {
  await put('early', 'x');
  const { stream } = await open('timeoutSeconds=-1', 'application/json');
  let text = '';
  for await (const bytes of stream) text += bytes;
  expect(text).toBe('');
});

describe('a watch in the shape of lists, which fits no event,', () => {
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

  test('ends without a word when there is something to tell', async () => {
    await put('untold', 'x');
    for (const query of [
      '',
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=no&allowWatchBookmarks=true',
    ]) {
      const { stream, contentType } = await open(query, accept);
      let text = '';
      for await (const bytes of stream) text += bytes;
      expect([contentType, text]).toEqual(['application/json', '']);
    }
  });

  test('ends with the first event of one that waits', async () => {
    const { stream, contentType } = await open(`resourceVersion=${api.store.revision}`, accept);
    expect(contentType).toBe('application/json');
    await put('untold', 'y');
    let text = '';
    for await (const bytes of stream) text += bytes;
    expect(text).toBe('');
  });
});

test('a watch that begins with large objects makes a few of them at a time', async () => {
  const namespace = '/api/v1/namespaces/kube-public/configmaps';
  for (let i = 0; i < 8; i++) {
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `large${i}` },
      data: { x: 'x'.repeat(600_000) },
    };
    expect((await api.send('POST', namespace, { body })).status).toBe(201);
  }
  const { body } = await api.send('GET', `${namespace}?watch=true&resourceVersion=0&timeoutSeconds=1`);
  const lengths: number[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    lengths.push(chunk.length);
    if (lengths.length === 4) break;
  }
  expect(lengths).toHaveLength(4);
  for (const length of lengths) expect(length).toBeLessThan(1_700_000);
});
