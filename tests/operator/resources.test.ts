import { inProcess } from '@pintle/apiserver';
import { realClock, systemRandom } from '@pintle/async';
import { Client, setScale } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { KubeApiServer } from '@pintle/kube-apiserver';
import {
  atomic,
  conditions,
  defineResource,
  embeddedResource,
  installResources,
  intOrString,
  listMap,
  listSet,
  preserveUnknown,
  quantity,
  ResourceError,
  rule,
} from '@pintle/operator';
import { openMemoryStore } from '@pintle/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const Garden = defineResource({
  group: 'plants.test',
  version: 'v1',
  kind: 'Garden',
  shortNames: ['gd'],
  categories: ['plants'],
  description: 'Where things grow.',
  spec: z.object({
    name: z
      .string()
      .min(1)
      .max(20)
      .regex(/^[a-z]+$/i),
    size: z.int().min(1).default(3),
    small: z.int32().optional(),
    ratio: z.number().gt(0).lt(1).optional(),
    color: z.enum(['red', 'green']).optional(),
    note: z.string().nullable().optional(),
    planted: z.iso.datetime({ offset: true }).optional(),
    owner: z.email().optional(),
    address: z.ipv4().optional(),
    seed: z.base64().optional(),
    port: intOrString().optional(),
    water: quantity().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    limits: z.partialRecord(z.enum(['cpu', 'memory']), quantity()).optional(),
    tools: listSet(z.array(z.string()).max(5)).optional(),
    beds: listMap(z.array(z.object({ name: z.string(), rows: z.int().default(1) })), ['name']).optional(),
    order: atomic(z.array(z.int())).optional(),
    selector: atomic(z.object({ app: z.string().optional() })).optional(),
    template: embeddedResource().optional(),
    extra: z.unknown().optional(),
    open: preserveUnknown(z.object({ known: z.int().optional() })).optional(),
    loose: z.looseObject({ known: z.int().optional() }).optional(),
    source: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('git'), url: z.url() }),
        z.object({ type: z.literal('inline'), data: z.record(z.string(), z.string()) }),
      ])
      .optional(),
    either: z.union([z.string().max(2), z.string().regex(/^x/)]).optional(),
    range: rule(z.object({ from: z.int(), to: z.int() }), {
      rule: 'self.from <= self.to',
      message: 'from is after to',
    }).optional(),
    nested: z.object({ deep: z.object({ on: z.boolean().default(true) }).prefault({}) }).prefault({}),
  }),
  status: z.object({ replicas: z.int().optional(), selector: z.string().optional(), conditions: conditions() }),
  columns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  scale: {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  selectableFields: ['.spec.name'],
  rules: [{ rule: "self.metadata.name != 'eden'", message: 'there is one already' }],
});

const authenticator = { authenticate: () => undefined };
let server: KubeApiServer;
let client: Client;
let close: () => Promise<void>;
const warnings: string[] = [];

beforeAll(async () => {
  const store = await openMemoryStore({ clock: realClock });
  server = await KubeApiServer.open({ store, clock: realClock, random: systemRandom, authenticator });
  const send = inProcess(server, { username: 'admin', groups: ['system:masters'] });
  client = new Client({ transport: { send }, onWarning: (warning) => warnings.push(warning) });
  close = async () => {
    await server.close();
    await store.close();
  };
  await installResources(client, [Garden]);
});
afterAll(() => close());

let count = 0;
async function plant(spec: object): Promise<typeof Garden.Type> {
  const metadata = { namespace: 'default', name: `garden-${++count}` };
  return await client.create(Garden, { metadata, spec: { name: 'Plot', ...spec } });
}

describe('a resource that is installed', () => {
  test('is served with all it says', async () => {
    const definition = await client.get(CustomResourceDefinition, { name: 'gardens.plants.test' });
    expect(definition.spec.versions).toEqual(Garden.definition.spec.versions);
    expect(warnings).toEqual([]);
    expect(definition.status!.conditions).toContainEqual(
      expect.objectContaining({ type: 'Established', status: 'True' }),
    );
    expect(definition.status!.conditions!.some(({ type }) => type === 'NonStructuralSchema')).toBe(false);
  });

  test('has its defaults filled in', async () => {
    const { spec } = await plant({ beds: [{ name: 'a' }] });
    expect(spec).toEqual({ name: 'Plot', size: 3, beds: [{ name: 'a', rows: 1 }], nested: { deep: { on: true } } });
  });

  test.each<[string, object]>([
    [
      'all at once',
      {
        small: 1,
        ratio: 0.5,
        color: 'red',
        note: null,
        planted: '2026-01-01T00:00:00Z',
        owner: 'a@b.org',
        address: '10.0.0.1',
        seed: 'aGk=',
        port: 'http',
        water: '1.5Gi',
        labels: { a: 'b' },
        limits: { cpu: 1, memory: '1Gi' },
        tools: ['rake'],
        order: [2, 1],
        selector: { app: 'x' },
        extra: [1, { a: true }],
        open: { known: 1, other: 2 },
        loose: { other: { deep: 1 } },
        either: 'xyz',
        range: { from: 1, to: 2 },
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { any: 1 } },
      },
    ],
    ['a number for a number or a string', { port: 80, water: 2 }],
    ['one member of a union', { source: { type: 'git', url: 'https://x.org/' } }],
    ['the other member', { source: { type: 'inline', data: { a: 'b' } } }],
    ['an offset in a time', { planted: '2026-01-01T00:00:00+01:00' }],
  ])('takes %s', async (_what, given) => {
    const { spec } = await plant(given);
    expect(spec).toMatchObject(given);
  });

  test.each<[string, object, string]>([
    ['a pattern', { name: '7' }, 'spec.name'],
    ['a bound', { size: 0 }, 'spec.size'],
    ['an exclusive bound', { ratio: 1 }, 'spec.ratio'],
    ['a choice', { color: 'blue' }, 'spec.color'],
    ['null where it is not allowed', { color: 'x', note: 5 }, 'spec.note'],
    ['a time', { planted: 'noon' }, 'spec.planted'],
    ['an address', { address: 'here' }, 'spec.address'],
    ['a number or a string', { port: true }, 'spec.port'],
    ['a quantity', { water: 'much' }, 'spec.water'],
    ['values of a map', { labels: { a: 1 } }, 'spec.labels'],
    ['a set', { tools: ['a', 'a'] }, 'spec.tools[1]'],
    ['keys of a list', { beds: [{ name: 'a' }, { name: 'a' }] }, 'spec.beds[1]'],
    ['an object of another kind', { template: { kind: 'Pod' } }, 'spec.template.apiVersion'],
    ['a member of a union', { source: { type: 'git' } }, 'spec.source'],
    ['both of two kinds of text', { either: 'abc' }, 'spec.either'],
    ['a rule', { range: { from: 2, to: 1 } }, 'spec.range'],
  ])('refuses what breaks %s', async (_what, given, field) => {
    const error = await plant(given).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    expect((error as Error).message).toContain(field);
  });

  test('refuses what breaks a rule of the object', async () => {
    const eden = {
      metadata: { namespace: 'default', name: 'eden' },
      spec: { name: 'a' },
    };
    await expect(client.create(Garden, eden)).rejects.toThrow(/there is one already/);
  });

  test('can be scaled, selected and given conditions', async () => {
    const garden = await plant({ name: 'chosen' });
    const { namespace = '', name = '' } = garden.metadata;
    const { items } = await client.list(Garden, { fieldSelector: 'spec.name=chosen' });
    expect(items).toHaveLength(1);
    await setScale(client, Garden, { namespace, name }, 7);
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Grown',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    } as const;
    for (const type of ['Ready', 'Wet'])
      await client.apply(
        Garden,
        { metadata: { namespace, name }, status: { conditions: [{ ...condition, type }] } },
        { fieldManager: type, subresource: 'status' },
      );
    const found = await client.get(Garden, { namespace, name });
    expect(found.spec.size).toBe(7);
    expect(found.status!.conditions!.map(({ type }) => type).sort()).toEqual(['Ready', 'Wet']);
  });
});

describe('installing', () => {
  const first = { group: 'plants.test', version: 'v1', kind: 'Tool', shortNames: ['tl'] } as const;

  test('again brings what is new, and takes away what is gone', async () => {
    await installResources(client, [defineResource({ ...first, spec: z.object({ old: z.string().optional() }) })]);
    const Tool = defineResource({
      group: 'plants.test',
      version: 'v1',
      kind: 'Tool',
      spec: z.object({ new: z.string().optional() }),
    });
    await installResources(client, [Tool]);
    const { spec } = await client.get(CustomResourceDefinition, { name: 'tools.plants.test' });
    expect(spec.names.shortNames).toBeUndefined();
    expect(Object.keys(spec.versions[0]!.schema!.openAPIV3Schema!.properties!.spec!.properties!)).toEqual(['new']);
  });

  test('tells why a resource is not served', async () => {
    const Thief = defineResource({ group: 'plants.test', version: 'v1', kind: 'Thief', shortNames: ['gd'] });
    const error = await installResources(client, [Thief]).catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(ResourceError);
    expect((error as Error).message).toMatch(/^Cannot install thiefs\.plants\.test: .*"gd"/);
  });

  test('passes on what the server refuses', async () => {
    const Tool = defineResource({ ...first, scope: 'Cluster' });
    await expect(installResources(client, [Tool])).rejects.toThrow(
      /spec.scope: Invalid value: "Cluster": field is immutable/,
    );
  });

  test('of a resource that needs a converter lets nobody lose fields before there is one', async () => {
    const Jar = defineResource({
      group: 'plants.test',
      kind: 'Jar',
      versions: { v1: { spec: z.object({ a: z.string() }) }, v1beta1: { spec: z.object({ b: z.string() }) } },
      storage: 'v1',
      conversions: {
        v1beta1: { toHub: ({ spec }) => ({ spec: { a: spec.b } }), fromHub: ({ spec }) => ({ spec: { b: spec.a } }) },
      },
    });
    await installResources(client, [Jar]);
    const metadata = { namespace: 'default', name: 'a' };
    await expect(client.create(Jar.versions.v1beta1, { metadata, spec: { b: 'x' } })).rejects.toThrow(
      /conversion webhook/,
    );
    await client.create(Jar, { metadata, spec: { a: 'x' } });
    const url = 'https://localhost:1/convert';
    await installResources(client, [Jar], { conversionClient: { url } });
    await installResources(client, [Jar]);
    const { spec } = await client.get(CustomResourceDefinition, { name: 'jars.plants.test' });
    expect(spec.conversion!.webhook!.clientConfig).toEqual({ url });
  });

  test('is done when all of several versions can be used', async () => {
    const versions = {
      v1: { spec: z.object({ a: z.string() }) },
      v1beta1: { spec: z.object({ a: z.string() }), deprecated: 'old' },
    };
    const Seed = defineResource({ group: 'plants.test', kind: 'Seed', versions, storage: 'v1' });
    await installResources(client, [Seed, Seed.versions.v1beta1]);
    await client.create(Seed.versions.v1beta1, { metadata: { namespace: 'default', name: 'a' }, spec: { a: 'b' } });
    const seed = await client.get(Seed, { namespace: 'default', name: 'a' });
    expect(seed.apiVersion).toBe('plants.test/v1');
  });
});
