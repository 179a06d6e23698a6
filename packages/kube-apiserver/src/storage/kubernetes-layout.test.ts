import { readdirSync, readFileSync } from 'node:fs';
import { encodeObject } from '@pintle/apiserver/storage';
import type { KubernetesObject } from '@pintle/machinery';
import { decodeEnvelope, hasEnvelope } from '@pintle/machinery/protobuf';
import type { Revision, Store, StoreRecord } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { NODE_PORT_RANGE, nodePortLedger } from '../builtin/special/node-port-ledger.ts';
import { ValueEncryption } from './encryption/value-encryption.ts';
import { KubernetesLayout } from './kubernetes-layout.ts';
import { type StoredKind, storedKinds } from './stored-kinds.ts';

const golden = new URL('../../../kinds/testdata/golden/', import.meta.url);
const goldenFiles = new Set(readdirSync(golden));
const layout = new KubernetesLayout({ prefix: '/registry/', encryption: await ValueEncryption.create() });
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

/** An object that Kubernetes wrote in the version that it stores, as protobuf and as JSON. */
function goldenOf({ group, kind, written }: StoredKind): { json: KubernetesObject; bytes: Uint8Array } | undefined {
  const version = written.apiVersion.slice(written.apiVersion.indexOf('/') + 1);
  const name = `${group || 'core'}.${version}.${kind}`;
  if (!goldenFiles.has(`${name}.pb`)) return undefined;
  const bytes = new Uint8Array(readFileSync(new URL(`${name}.pb`, golden)));
  return { json: JSON.parse(readFileSync(new URL(`${name}.json`, golden), 'utf8')), bytes };
}

const keyOfKind = ({ name, scope }: StoredKind) => `${name}/${scope === 'Cluster' ? 'a' : 'ns/a'}`;

function recordOf(key: string, value: Uint8Array): StoreRecord {
  const revision = 7 as Revision;
  return { key, value, modRevision: revision, createRevision: revision, version: 1 };
}

/** The object in a record, in canonical JSON. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function jsonOf(record: Uint8Array): Record<string, unknown> {
  const start = Buffer.from(record).indexOf('{"metadata"');
  return JSON.parse(text(record.subarray(start)));
}

/** As a record has it: without type, and with an empty resourceVersion. */
function withoutType({ apiVersion: _, kind: __, metadata, ...rest }: KubernetesObject) {
  return { ...rest, metadata: { ...metadata, resourceVersion: '' } };
}

const cases = [...storedKinds.values()]
  .map((kind) => ({ kind, name: kind.name, golden: goldenOf(kind) }))
  .filter(({ golden }) => golden !== undefined);

describe('Objects as Kubernetes stores them', () => {
  test('are here for all built-in kinds but definitions and registrations', () => {
    const missing = [...storedKinds.values()].filter((kind) => goldenOf(kind) === undefined).map(({ kind }) => kind);
    expect(missing.sort()).toEqual(['APIService', 'CustomResourceDefinition']);
  });

  test.each(cases)('$name', ({ kind, golden }) => {
    const key = keyOfKind(kind);
    const record = layout.open(key, golden!.bytes);
    const isSameVersion = kind.written.toRecord === undefined;
    if (isSameVersion) expect(canonical(jsonOf(record))).toBe(canonical(withoutType(golden!.json)));
    const { metadata, ...rest } = golden!.json;
    const { resourceVersion: _, ...stored } = metadata;
    // Kubernetes writes no resourceVersion; the one of the golden object is dropped on the way.
    const again = layout.seal(key, record);
    expect(canonical(jsonOf(layout.open(key, again)))).toBe(canonical(jsonOf(record)));
    const envelope = decodeEnvelope(again);
    expect([envelope.apiVersion, envelope.kind]).toEqual([kind.written.apiVersion, kind.kind]);
    const fresh = layout.seal(key, encodeObject({ ...rest, metadata: stored } as KubernetesObject));
    expect(Buffer.from(fresh)).toEqual(Buffer.from(again));
    expect(layout.isOutdated(record)).toBe(false);
  });
});

test('volume claim templates have their types again, which protobuf leaves out', () => {
  const typed = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'data' }, spec: {}, status: {} };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'a', namespace: 'ns' },
    spec: { volumeClaimTemplates: [typed], serviceName: 'a' },
  } as unknown as KubernetesObject;
  const stored = layout.seal('apps/statefulsets/ns/a', encodeObject(object));
  const { spec } = jsonOf(layout.open('apps/statefulsets/ns/a', stored)) as {
    spec: { volumeClaimTemplates: object[] };
  };
  expect(spec.volumeClaimTemplates[0]).toMatchObject({ kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
});

describe('Values of a running kube-apiserver', () => {
  const { objects, nodePorts, ranges, lease } = JSON.parse(
    readFileSync(new URL('../testdata/stored-by-kube-apiserver.json', import.meta.url), 'utf8'),
  ) as {
    objects: { key: string; stored: { json?: string; base64?: string }; served: KubernetesObject }[];
    nodePorts: number[];
    ranges: string;
    lease: string;
  };

  test.each(objects)('$key is served as there, and written as there', ({ key, stored: { json, base64 }, served }) => {
    const bytes = json === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(json);
    const record = layout.open(key, bytes);
    expect(canonical(jsonOf(record))).toBe(canonical(withoutType(served)));
    const again = layout.seal(key, record);
    if (json !== undefined) expect(canonical(JSON.parse(text(again)))).toBe(canonical(JSON.parse(json)));
    expect(canonical(jsonOf(layout.open(key, again)))).toBe(canonical(jsonOf(record)));
  });

  test.each([
    ['node ports', 'core/servicenodeportallocations/servicenodeports', ranges],
    ['a server’s address', 'core/apiServerIPInfo/192.0.2.1', lease],
  ])('%s are kept to the byte', (_, key, base64) => {
    const bytes = Buffer.from(base64, 'base64');
    expect(Buffer.from(layout.seal(key, layout.open(key, bytes))).equals(bytes)).toBe(true);
  });

  test('node ports are the bits of a number', async () => {
    const value = layout.open(NODE_PORT_RANGE, Buffer.from(ranges, 'base64'));
    const records = new Map([[NODE_PORT_RANGE, recordOf(NODE_PORT_RANGE, value)]]);
    const store = { isShared: true, get: (key: string) => records.get(key) } as unknown as Store;
    const ledger = nodePortLedger(store);
    for (const port of nodePorts) expect(await ledger.isFree(port)).toBe(false);
    expect(await ledger.isFree(30_001)).toBe(true);
    const change = async (claimed: number[], released: number[]) => {
      const [operation] = await nodePortLedger(store).change('', claimed, released);
      const { value: changed } = operation as { value: Uint8Array };
      records.set(NODE_PORT_RANGE, recordOf(NODE_PORT_RANGE, changed));
    };
    await change([30_001, 32_767], [30_123]);
    const free = await Promise.all([30_000, 30_001, 30_123, 32_767].map((port) => nodePortLedger(store).isFree(port)));
    expect(free).toEqual([false, false, true, false]);
    await change([30_123], [30_001, 32_767]);
    const again = layout.seal(NODE_PORT_RANGE, records.get(NODE_PORT_RANGE)!.value);
    expect(Buffer.from(again).toString('base64')).toBe(ranges);
  });
});

const definition = (versions: object[], conversion: object = { strategy: 'None' }): KubernetesObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'fruits.example.com', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      group: 'example.com',
      names: { plural: 'fruits', singular: 'fruit', kind: 'Fruit', listKind: 'FruitList' },
      scope: 'Namespaced',
      versions,
      conversion,
    },
    status: {
      conditions: null,
      acceptedNames: { plural: 'fruits', singular: 'fruit', kind: 'Fruit', listKind: 'FruitList' },
      storedVersions: ['v1'],
    },
  }) as unknown as KubernetesObject;

const schema = (type: string) => ({ schema: { openAPIV3Schema: { type } } });
const column = { additionalPrinterColumns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }] };
const DEFINITION = 'apiextensions.k8s.io/customresourcedefinitions/fruits.example.com';

describe('CustomResourceDefinitions', () => {
  const { definitions } = JSON.parse(
    readFileSync(new URL('../testdata/stored-by-kubernetes.json', import.meta.url), 'utf8'),
  ) as { definitions: { object: KubernetesObject; stored: string }[] };

  test.each(definitions)('are read in protobuf', ({ object, stored }) => {
    const record = encodeObject(object);
    expect(canonical(jsonOf(layout.open(DEFINITION, Buffer.from(stored, 'base64'))))).toBe(canonical(jsonOf(record)));
  });

  test.each([
    ['one version', definition([{ name: 'v1', served: true, storage: true, ...schema('object'), ...column }])],
    [
      'versions that share a schema',
      definition([
        { name: 'v2', served: true, storage: false, ...schema('object') },
        { name: 'v1', served: true, storage: true, ...schema('object') },
      ]),
    ],
    [
      'versions that differ',
      definition([
        { name: 'v2', served: true, storage: false, ...schema('object'), subresources: { status: {} } },
        { name: 'v1', served: true, storage: true, ...schema('string'), ...column },
      ]),
    ],
    [
      'a webhook',
      definition([{ name: 'v1', served: true, storage: true, ...schema('object') }], {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { namespace: 'a', name: 'b', path: '/c', port: 443 }, caBundle: 'AAAA' },
          conversionReviewVersions: ['v1'],
        },
      }),
    ],
  ])('with %s come back as they were', (_, object) => {
    const record = encodeObject(object);
    const stored = layout.seal(DEFINITION, record);
    expect(JSON.parse(text(stored)).apiVersion).toBe('apiextensions.k8s.io/v1beta1');
    expect(canonical(jsonOf(layout.open(DEFINITION, stored)))).toBe(canonical(jsonOf(record)));
  });
});

describe('Custom resources', () => {
  const key = 'example.com/fruits/default/apple';
  const apple = {
    apiVersion: 'example.com/v1',
    kind: 'Fruit',
    metadata: { name: 'apple', namespace: 'default', labels: {} },
    spec: { sorts: [], big: 9007199254740993n },
  } as unknown as KubernetesObject;
  const bound = async (find?: StoreRecord) => {
    const made = new KubernetesLayout({ prefix: '/registry/', encryption: await ValueEncryption.create() });
    made.useRecords((wanted) => (wanted === DEFINITION ? find : undefined));
    return made;
  };
  const defined = recordOf(DEFINITION, encodeObject(definition([{ name: 'v1', served: true, storage: true }])));

  test('are JSON of their kind, without a resourceVersion', async () => {
    const made = await bound(defined);
    const stored = made.seal(
      key,
      encodeObject({ ...apple, metadata: { ...apple.metadata, resourceVersion: '7' } }, 'tag1'),
    );
    expect(text(stored)).toBe(
      '{"apiVersion":"example.com/v1","kind":"Fruit","metadata":{"name":"apple","namespace":"default","labels":{}},"spec":{"sorts":[],"big":9007199254740993}}\n',
    );
  });

  test('keep the tag of their schema for who wrote them, and nobody else', async () => {
    const made = await bound(defined);
    const record = encodeObject(apple, 'tag1');
    const stored = made.seal(key, record);
    expect(Buffer.from(made.open(key, stored))).toEqual(Buffer.from(record));
    expect(Buffer.from((await bound()).open(key, stored))).toEqual(Buffer.from(encodeObject(apple)));
    made.seal(key, record);
    const other = Buffer.from(text(stored).replace('apple', 'grape'));
    expect(jsonOf(made.open(key, other))).toMatchObject({ metadata: { name: 'grape' } });
  });

  test('are refused without a definition', async () => {
    const made = await bound();
    expect(() => made.seal(key, encodeObject(apple))).toThrow('there is no definition of it');
  });
});

describe('Values that cannot be read', () => {
  test.each([
    ['nonsense', 'core/pods/default/a', Buffer.from('nonsense'), 'neither JSON nor protobuf'],
    ['a truncated message', 'core/pods/default/a', Buffer.from('k8s\0\x0a\x7f'), 'unexpected EOF'],
    ['JSON that is no object', 'example.com/fruits/default/a', Buffer.from('{}'), 'it is not a Kubernetes object'],
    [
      'metadata of other types',
      'core/configmaps/default/a',
      Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":5}}'),
      'it is not a string',
    ],
    [
      'a field of another type',
      'core/pods/default/a',
      Buffer.from('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":"many"}}'),
      'it is not a list',
    ],
    [
      'owners of another type',
      'example.com/fruits/default/a',
      Buffer.from('{"apiVersion":"example.com/v1","kind":"Fruit","metadata":{"name":"a","ownerReferences":[null]}}'),
      'its metadata.ownerReferences has a wrong type',
    ],
    [
      'another kind',
      'core/pods/default/a',
      Buffer.from('{"apiVersion":"v1","kind":"Node","metadata":{}}'),
      'it is stored as v1 Node; this server reads v1 Pod',
    ],
    [
      'a version that is no longer read',
      'policy/poddisruptionbudgets/default/a',
      Buffer.from('{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{}}'),
      'this server reads policy/v1 PodDisruptionBudget',
    ],
    [
      'an encrypted value without a configuration',
      'core/secrets/default/a',
      Buffer.from('k8s:enc:aesgcm:v1:a:x'),
      'does not have',
    ],
  ])('%s is damaged, and says why', (_, key, bytes, problem) => {
    expect(() => layout.open(key, bytes)).toThrow(problem);
  });

  test('JSON of a built-in kind is read, and outdated', () => {
    const key = 'autoscaling/horizontalpodautoscalers/default/a';
    const bytes = Buffer.from(
      JSON.stringify({
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a', namespace: 'default' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' }, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      }),
    );
    const record = layout.open(key, bytes);
    expect(jsonOf(record)).toMatchObject({ spec: { metrics: [{ type: 'Resource' }], maxReplicas: 3 } });
    expect(layout.isOutdated(record)).toBe(true);
    const again = layout.seal(key, record);
    expect([hasEnvelope(again), decodeEnvelope(again).apiVersion]).toEqual([true, 'autoscaling/v2']);
  });
});
