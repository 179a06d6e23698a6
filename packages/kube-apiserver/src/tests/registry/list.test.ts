import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const COUNT = 1_200;
const nameOf = (index: number): string => `map-${String(index).padStart(4, '0')}`;

async function openFilled() {
  const api = await openTestServer();
  const filler = 'x'.repeat(1_000);
  for (let i = 0; i < COUNT; i++) {
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: nameOf(i), labels: { even: `${i % 2 === 0}` } },
      data: { filler },
    };
    await api.send('POST', MAPS, { body });
  }
  return api;
}

const namesIn = (text: string): string[] => {
  const { items = [], rows = [] } = JSON.parse(text);
  const objects: JsonObject[] = [...items, ...rows.map(({ object }: { object: JsonObject }) => object)];
  return objects.map(({ metadata }) => (metadata as { name: string }).name);
};

test('a long list is sent as it is read, in every form, and is whole', async () => {
  await using api = await openFilled();
  const all = Array.from({ length: COUNT }, (_, i) => nameOf(i));
  const even = all.filter((_name, i) => i % 2 === 0);
  const as = (kind: string) => ({ headers: { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` } });

  const plain = await api.send('GET', MAPS);
  expect(plain.body).not.toBeInstanceOf(Uint8Array);
  expect(namesIn(await textOf(plain))).toEqual(all);
  expect(namesIn(await textOf(await api.send('GET', `${MAPS}?labelSelector=even%3Dtrue`)))).toEqual(even);
  expect(namesIn(await textOf(await api.send('GET', MAPS, as('Table'))))).toEqual(all);
  expect(namesIn(await textOf(await api.send('GET', MAPS, as('PartialObjectMetadataList'))))).toEqual(all);
});

test('a list by name reads one key: nothing follows its page', async () => {
  await using api = await openFilled();
  const named = async (path: string) => JSON.parse(await textOf(await api.send('GET', path)));
  for (const path of [MAPS, '/api/v1/configmaps']) {
    const inNamespace = path === MAPS ? '' : '%2Cmetadata.namespace%3Ddefault';
    const page = await named(`${path}?limit=1&fieldSelector=metadata.name%3D${nameOf(7)}${inNamespace}`);
    expect(namesIn(JSON.stringify(page))).toEqual([nameOf(7)]);
    expect(page.metadata.continue).toBeUndefined();
  }
  expect(namesIn(await textOf(await api.send('GET', `${MAPS}?fieldSelector=metadata.name%3Dno%2Fname`)))).toEqual([]);
  const everywhere = `/api/v1/configmaps?fieldSelector=metadata.name%3D${nameOf(8)}`;
  expect(namesIn(await textOf(await api.send('GET', everywhere)))).toEqual([nameOf(8)]);
  const others = `${MAPS}?fieldSelector=metadata.name!%3D${nameOf(0)}&labelSelector=even%3Dtrue&limit=2`;
  expect(namesIn(await textOf(await api.send('GET', others)))).toEqual([nameOf(2), nameOf(4)]);
});

test('a list by label follows what is written', async () => {
  await using api = await openTestServer();
  const red = async () => namesIn(await textOf(await api.send('GET', `${MAPS}?labelSelector=color%3Dred`)));
  const label = (name: string, color: string | null) =>
    api.send('PATCH', `${MAPS}/${name}`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { metadata: { labels: { color } } },
    });
  for (const name of ['a', 'b', 'c']) await api.send('POST', MAPS, { body: { metadata: { name } } });
  expect(await red()).toEqual([]);
  await label('a', 'red');
  await label('c', 'red');
  const before = JSON.parse(await textOf(await api.send('GET', MAPS))).metadata.resourceVersion;
  expect(await red()).toEqual(['a', 'c']);
  await label('a', 'green');
  await label('b', 'red');
  await label('c', null);
  expect(await red()).toEqual(['b']);
  const then = `${MAPS}?labelSelector=color%3Dred&resourceVersion=${before}&resourceVersionMatch=Exact`;
  expect(namesIn(await textOf(await api.send('GET', then)))).toEqual(['a', 'c']);
});

test('a list of large objects is made a few of them at a time', async () => {
  await using api = await openTestServer();
  const data = { filler: 'x'.repeat(400_000) };
  for (let i = 0; i < 20; i++) {
    await api.send('POST', MAPS, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: nameOf(i) }, data },
    });
  }
  const parts: Uint8Array[] = [];
  for await (const part of (await api.send('GET', MAPS)).body as AsyncIterable<Uint8Array>) parts.push(part);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2_000_000);
  expect(namesIn(Buffer.concat(parts).toString())).toEqual(Array.from({ length: 20 }, (_, i) => nameOf(i)));
});

test.each(['application/json', 'application/yaml'])(
  'a list as %s is not made to its end for who has left',
  async (accept) => {
    await using api = await openFilled();
    const gone = new AbortController();
    const asked = api.send('GET', `${MAPS}?labelSelector=even%3Dnever`, { headers: { accept }, signal: gone.signal });
    gone.abort();
    expect((await asked).status).toBe(499);
  },
);

test('a long list shows one moment, whatever is written while it is read', async () => {
  await using api = await openFilled();
  const { body } = await api.send('GET', MAPS);
  let text = '';
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    if (text === '') {
      await api.send('DELETE', `${MAPS}/${nameOf(COUNT - 1)}`);
      await api.send('POST', MAPS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map-0000x' } } });
    }
    text += Buffer.from(chunk).toString();
  }
  expect(namesIn(text)).toEqual(Array.from({ length: COUNT }, (_, i) => nameOf(i)));
});

test('a long list is read a little at a time, and others have their turn between', async () => {
  await using api = await openFilled();
  const asked: number[] = [];
  const range = api.store.range.bind(api.store);
  api.store.range = (keys, options) => {
    asked.push(options?.limit ?? Number.POSITIVE_INFINITY);
    return range(keys, options);
  };
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(namesIn(await textOf(await api.send('GET', `${MAPS}?labelSelector=even`)))).toHaveLength(COUNT);
  isOver = true;
  expect(Math.max(...asked)).toBeLessThanOrEqual(500);
  expect(asked.length).toBeGreaterThan(2);
  expect(turns).toBeGreaterThanOrEqual(asked.length - 1);
});

test('pages hold as many as asked for, however many chunks that takes', async () => {
  await using api = await openFilled();
  const first = JSON.parse(await textOf(await api.send('GET', `${MAPS}?limit=1150`)));
  expect(first.items).toHaveLength(1_150);
  expect(first.metadata.remainingItemCount).toBe(50);
  const rest = await textOf(await api.send('GET', `${MAPS}?limit=1150&continue=${first.metadata.continue}`));
  expect(namesIn(rest)).toEqual(Array.from({ length: 50 }, (_, i) => nameOf(1_150 + i)));
  expect(JSON.parse(rest).metadata.continue).toBeUndefined();
});

test('a table of flow schemas has them in the order in which they are asked, those of a number by name', async () => {
  await using api = await openTestServer();
  const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const precedences = { last: 9_000, first: 3, 'b-same': 70, 'a-same': 70 };
  for (const [name, matchingPrecedence] of Object.entries(precedences)) {
    const spec = { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence };
    const body = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name }, spec };
    expect((await api.send('POST', schemas, { body })).status).toBe(201);
  }
  const mine = (text: string) => namesIn(text).filter((name) => name in precedences);
  const table = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };

  expect(mine(await textOf(await api.send('GET', schemas, table)))).toEqual(['first', 'a-same', 'b-same', 'last']);
  expect(mine(await textOf(await api.send('GET', schemas)))).toEqual(['a-same', 'b-same', 'first', 'last']);
});

test('a list of a moment that is forgotten says so, and how to go on only to who was under way', async () => {
  await using api = await openTestServer();
  for (const name of ['a', 'b', 'c'])
    await api.send('POST', MAPS, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } } });
  const page = JSON.parse(await textOf(await api.send('GET', `${MAPS}?limit=1`)));
  await api.send('DELETE', `${MAPS}/c`);
  await api.store.compact(api.store.revision);
  const { continue: token, resourceVersion } = page.metadata;
  const refusal = async (query: string) => JSON.parse(await textOf(await api.send('GET', `${MAPS}?limit=1&${query}`)));
  const restart = await refusal(`resourceVersion=${resourceVersion}&continue=`);
  expect(restart).toMatchObject({ code: 410, message: 'The resourceVersion for the provided list is too old.' });
  expect(restart.metadata.continue).toBeUndefined();
  const goOn = await refusal(`continue=${token}`);
  expect(goOn).toMatchObject({ code: 410, metadata: { continue: expect.any(String) } });
});

test('a limit asks for an older moment of a list, but not of one object', async () => {
  await using api = await openTestServer();
  const body = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const first = JSON.parse(await textOf(await api.send('POST', MAPS, { body: body('a') })));
  await api.send('POST', MAPS, { body: body('b') });
  const old = `limit=5&resourceVersion=${first.metadata.resourceVersion}`;
  const listed = async (query: string) => namesIn(await textOf(await api.send('GET', query)));
  expect(await listed(`${MAPS}?${old}`)).toEqual(['a']);
  expect(await listed(`${MAPS}?${old}&fieldSelector=metadata.name%3Db`)).toEqual(['b']);
  const everywhere = `/api/v1/configmaps?${old}&fieldSelector=metadata.name%3Db`;
  expect(await listed(everywhere)).toEqual([]);
  expect(await listed(`${everywhere},metadata.namespace%3Ddefault`)).toEqual(['b']);
});

test('a table says what its columns show', async () => {
  await using api = await openTestServer();
  const as = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };
  const { columnDefinitions } = JSON.parse(await textOf(await api.send('GET', '/api/v1/pods', as)));
  const described = new Map<string, string>(
    columnDefinitions.map(({ name, description }: { name: string; description: string }) => [name, description]),
  );
  expect(described.get('Node')).toBe('The node that the pod runs on.');
  expect(described.get('Age')).toBe('CreationTimestamp is a timestamp of when the server created the object, in UTC.');
  // It is worked out from several fields.
  expect(described.get('Ready')).toBe('');
});
