import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { encodeProtobufObject } from '@pintle/apiserver/testing';
import { SeededRandom } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { openMemoryStore } from '@pintle/store';
import { expect, test } from 'vitest';
import type { TestServer } from '../../testing/open-test-server.ts';
import { openTestServer } from '../../testing/open-test-server.ts';

const MAPS = '/api/v1/configmaps';
const META = 'g=meta.k8s.io;v=v1';
const TEXTS = [
  '',
  'plain',
  'two\nlines\n',
  '  indented\n\n',
  '- "quoted": #',
  'true',
  '1e3',
  'ünï\u2028cödé 🦭',
  'a: b',
];

async function openWith(seed: number, count: number, bytes: number) {
  const random = new SeededRandom(seed);
  const store = await openMemoryStore();
  const word = (): string => TEXTS[random.below(TEXTS.length)]!;
  for (let i = 0; i < count; i++) {
    const name = `map-${String(i).padStart(5, '0')}`;
    const data = Object.fromEntries(Array.from({ length: random.below(5) }, (_, at) => [`k${at}`, word()]));
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: `n${i % 3}`, uid: name, annotations: { text: word() } },
      data: { ...data, filler: word().repeat(random.below(bytes)) },
    } as KubernetesObject;
    const key = objectKey({ group: '', resource: 'configmaps' }, `n${i % 3}`, name);
    await store.commit([{ type: 'put', key, value: encodeObject(object) }]);
  }
  return await openTestServer({ store });
}

async function answerOf(api: TestServer, path: string, accept: string): Promise<{ bytes: Buffer; isStream: boolean }> {
  const { status, body } = await api.send('GET', path, { headers: { accept } });
  expect(status).toBe(200);
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), isStream: false };
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return { bytes: Buffer.concat(parts), isStream: true };
}

const withSlash = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`;

/** [objects, bytes of each at most, whether all forms of the list itself are streams] */
const LISTS: [number, number, boolean][] = [
  [0, 10, false],
  [1, 10, false],
  [2, 1_000, false],
  [40, 200, false],
  [300, 3_000, true],
];

test.each(LISTS)(
  'a list of %i objects of up to %i words is in every form what it would be if it were written whole',
  async (count, bytes, isLong) => {
    await using api = await openWith(count + 1, count, bytes);
    for (const path of [MAPS, `${MAPS}?limit=1000`, '/api/v1/namespaces/n1/configmaps']) {
      for (const shape of ['', `;as=PartialObjectMetadataList;${META}`, `;as=Table;${META}`]) {
        const { bytes: json } = await answerOf(api, path, `application/json${shape}`);
        const list = JSON.parse(json.toString()) as JsonObject;
        expect(json.toString()).toBe(`${JSON.stringify(list)}\n`);

        const pretty = await answerOf(api, withSlash(path, 'pretty=true'), `application/json${shape}`);
        expect(JSON.parse(pretty.bytes.toString())).toEqual(list);
        expect(pretty.bytes.toString()).toBe(JSON.stringify(JSON.parse(pretty.bytes.toString()), undefined, 2));

        const yaml = await answerOf(api, path, `application/yaml${shape}`);
        expect(yaml.bytes.toString()).toBe(stringifyYaml(list));

        if (shape.includes('Table')) continue;
        const protobuf = await answerOf(api, path, `application/vnd.kubernetes.protobuf${shape}`);
        expect(protobuf.bytes.equals(encodeProtobufObject(list))).toBe(true);
        if (shape === '' && path === MAPS) {
          expect([pretty.isStream, yaml.isStream]).toEqual([isLong, isLong]);
        }
      }
    }
  },
);

test('a protobuf list that is too long to keep is measured first and made again', async () => {
  await using api = await openWith(7, 1_200, 9_000);
  const { bytes: json } = await answerOf(api, MAPS, 'application/json');
  const { bytes, isStream } = await answerOf(api, MAPS, 'application/vnd.kubernetes.protobuf');
  expect(isStream).toBe(true);
  expect(bytes.equals(encodeProtobufObject(JSON.parse(json.toString())))).toBe(true);
});

test('an object that is much longer indented than it is kept is sent as it is written', async () => {
  await using api = await openTestServer();
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'deeps.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'deeps', singular: 'deep', kind: 'Deep' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
  await api.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition });
  const levels = 400;
  const deep = `${'['.repeat(levels)}${'0,'.repeat(20_000)}0${']'.repeat(levels)}`;
  const body = `{"apiVersion":"example.com/v1","kind":"Deep","metadata":{"name":"a"},"x":${deep}}`;
  const path = '/apis/example.com/v1/deeps';
  while ((await api.send('GET', path)).status !== 200) await api.clock.advance(100);
  const headers = { 'content-type': 'application/json' };
  expect((await api.send('POST', path, { body, headers })).status).toBe(201);
  for (const [target, accept] of [
    [`${path}/a?pretty=true`, 'application/json'],
    [`${path}/a`, 'application/yaml'],
    [`${path}?pretty=true`, 'application/json'],
    [path, 'application/yaml'],
  ] as const) {
    const { body: sent } = await api.send('GET', target, { headers: { accept } });
    expect(sent).not.toBeInstanceOf(Uint8Array);
    let longest = 0;
    let bytes = 0;
    for await (const part of sent as AsyncIterable<Uint8Array>) {
      longest = Math.max(longest, part.length);
      bytes += part.length;
    }
    expect(bytes).toBeGreaterThan(16_000_000);
    expect(longest).toBeLessThan(1_000_000);
  }
});
