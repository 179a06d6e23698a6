import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import { openTestServer, textOf } from '../open-test-server.ts';

/** Numbers are those of the list in `docs/security.md`. */
const MAPS = '/api/v1/namespaces/default/configmaps';
const LIMIT = 3 * 1024 * 1024;
const json = { 'content-type': 'application/json' };

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const mapOf = (bytes: number): Buffer => {
  const head = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"large"},"data":{"a":"';
  return Buffer.from(`${head}${'x'.repeat(bytes - head.length - 3)}"}}`);
};

test('1: a body may have 3 MiB and not a byte more, however it comes', async () => {
  await using api = await openTestServer();
  const send = async (body: Uint8Array | AsyncIterable<Uint8Array>) => {
    const answer = await api.send('POST', MAPS, { body, headers: json });
    return [answer.status, await textOf(answer)] as const;
  };
  for (const form of [(bytes: Uint8Array) => bytes, inPieces]) {
    const [status, text] = await send(form(mapOf(LIMIT + 1)));
    expect(status).toBe(413);
    expect(text).toContain('limit is 3145728');
    // Read in full, and then too large to be kept, which is another refusal.
    expect((await send(form(mapOf(LIMIT))))[1]).not.toContain('limit is 3145728');
  }
});

test.each([
  ['PUT', `${MAPS}/large`, 'application/json'],
  ['PATCH', `${MAPS}/large`, 'application/merge-patch+json'],
  ['PATCH', `${MAPS}/large`, 'application/json-patch+json'],
  ['PATCH', `${MAPS}/large?fieldManager=me`, 'application/apply-patch+yaml'],
  ['DELETE', `${MAPS}/large`, 'application/json'],
  ['DELETE', MAPS, 'application/json'],
])('1: nor has that of %s %s as %s', async (method, path, type) => {
  await using api = await openTestServer();
  await api.send('POST', MAPS, { body: { metadata: { name: 'large' } }, headers: json });
  for (const body of [mapOf(LIMIT + 1), inPieces(mapOf(LIMIT + 1))]) {
    const answer = await api.send(method, path, { body, headers: { 'content-type': type } });
    expect(answer.status).toBe(413);
    expect(await textOf(answer)).toContain('limit is 3145728');
  }
});

describe('2: what is nested a thousand levels deep, or a million, is refused, and nothing overflows', () => {
  const lists = (levels: number, isClosed = true) => `${'['.repeat(levels)}${isClosed ? ']'.repeat(levels) : ''}`;
  const objects = (levels: number, isClosed = true) =>
    `${'{"a":'.repeat(levels)}${isClosed ? `1${'}'.repeat(levels)}` : ''}`;
  const map = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}';
  const ways: [string, string, string, (deep: string) => string][] = [
    ['JSON', 'POST', 'application/json', (deep) => `{${map},"x":${deep}}`],
    ['YAML', 'POST', 'application/yaml', (deep) => `kind: ConfigMap\nx: ${deep}`],
    ['a JSON patch', 'PATCH', 'application/json-patch+json', (deep) => `[{"op":"test","path":"/x","value":${deep}}]`],
    ['a merge patch', 'PATCH', 'application/merge-patch+json', (deep) => `{"x":${deep}}`],
    ['a strategic patch', 'PATCH', 'application/strategic-merge-patch+json', (deep) => `{"x":${deep}}`],
    ['an apply', 'PATCH', 'application/apply-patch+yaml', (deep) => `{${map},"x":${deep}}`],
  ];
  test.each(ways)('%s', async (_name, method, type, bodyWith) => {
    await using api = await openTestServer();
    await api.send('POST', MAPS, { body: { metadata: { name: 'm' } }, headers: json });
    const path = method === 'POST' ? MAPS : `${MAPS}/m`;
    const statusOf = async (deep: string): Promise<number> => {
      const sent = { body: bodyWith(deep), headers: { 'content-type': type } };
      return (await api.send(method, `${path}?fieldManager=me&fieldValidation=Ignore`, sent)).status;
    };
    for (const deep of [lists(500_000), lists(1_000_000, false), objects(400_000), objects(500_000, false)]) {
      expect(await statusOf(deep)).toBe(400);
    }
    for (const nested of [lists, objects]) {
      expect(await statusOf(nested(1_001))).toBe(400);
      expect(await statusOf(nested(90))).not.toBe(400);
    }
  });
});

test('3: aliases that would fill the memory are refused at once', async () => {
  await using api = await openTestServer();
  const levels = Array.from({ length: 20 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(',')}]`);
  const body = `l0: &l0 lol\n${levels.join('\n')}\n`;
  const computedMs = threadTimer();
  const { status } = await api.send('POST', MAPS, { body, headers: { 'content-type': 'application/yaml' } });
  expect(status).toBe(400);
  expect(computedMs()).toBeLessThan(2_000);
});

test('4: a patch has ten thousand operations at most, and copies no more than a body may have', async () => {
  await using api = await openTestServer();
  const data = { a: 'x'.repeat(100_000) };
  await api.send('POST', MAPS, { body: { metadata: { name: 'm' }, data }, headers: json });
  const headers = { 'content-type': 'application/json-patch+json' };
  const patch = async (operations: object[]) =>
    (await api.send('PATCH', `${MAPS}/m`, { body: JSON.stringify(operations), headers })).status;
  const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
  expect(await patch(many)).toBe(413);
  expect(await patch(many.slice(1))).toBe(200);
  const copies = Array.from({ length: 100 }, (_, i) => ({ op: 'copy', from: '/data/a', path: `/data/b${i}` }));
  expect(await patch(copies.slice(0, 5))).toBe(200);
  const tooMuch = await api.send('PATCH', `${MAPS}/m`, { body: JSON.stringify(copies), headers });
  expect([tooMuch.status, await textOf(tooMuch)]).toEqual([
    422,
    expect.stringContaining('due to an error in our request'),
  ]);
});

test('10: what is kept beside objects is bounded', async () => {
  await using api = await openTestServer();
  const send = async (metadata: object, query = '') =>
    (await api.send('POST', `${MAPS}${query}`, { body: { metadata }, headers: json })).status;
  const annotations = (bytes: number) => ({ a: 'x'.repeat(bytes - 1) });
  expect(await send({ name: 'a', annotations: annotations(256 * 1024 + 1) })).toBe(422);
  expect(await send({ name: 'a', annotations: annotations(256 * 1024) })).toBe(201);
  expect(await send({ name: 'b' }, `?fieldManager=${'m'.repeat(129)}`)).toBe(422);
  expect(await send({ name: 'b' }, `?fieldManager=${'m'.repeat(128)}`)).toBe(201);
  expect(await send({ name: 'c', labels: { 'a b': 'c' } })).toBe(422);
  expect(await send({ name: 'x'.repeat(254) })).toBe(422);
  expect(await send({ generateName: 'x'.repeat(300) })).toBe(422);
});
