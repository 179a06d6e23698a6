// Objects to exchange: one of every built-in kind, as the recordings have them, definitions with their custom resources, and the
// objects with every field set that Kubernetes publishes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const expected = join(import.meta.dirname, '..', '..', 'conformance', 'expected');
const golden = join(import.meta.dirname, '..', '..', 'packages', 'kinds', 'testdata', 'golden');
const SET_BY_SERVERS = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink'];
export const NAMESPACE = 'exchange';
/** A certificate request of CN=a. Its key is not kept. */
const REQUEST = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlx',
  'R1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCT0pndUdoRUhVUkxodWxIUlB5RStPRFlvYUNZWE8xNHREamdFR1N0NXJEdzRaNnpz',
  'akt3Y0Z5Q3ZGbmxzY2xwCjNmakdYTjBtYkRnREoxQkorK1V5elV5Z0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUFtbEpEUUwv',
  'SXhEM3IKaW13VTQ1TFpENWx6Rk9vS3lEeGxxV0JDbEY0Y3FJa0NJUUM0czNvQ1ZZUG5lUkp0Q1U1VFU2QUdLbW8zNGZjSQpzemhj',
  'UXN6ZExYWVBWdz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=',
].join('');

/** Returns one object of each kind that the recordings create, with the path that it is posted to. */
export function recordedObjects() {
  const found = new Map();
  for (const area of [
    'kinds-workloads',
    'kinds-config-network-storage',
    'objects',
    'rbac',
    'quota-limits',
    'admission-policies',
    'admission-webhooks',
  ]) {
    for (const steps of Object.values(JSON.parse(readFileSync(join(expected, `${area}.json`), 'utf8')))) {
      for (const { request = '', status, body } of steps) {
        const [method, path] = request.split(' ');
        const isCreated = method === 'POST' && status === 201 && body?.apiVersion && body.metadata?.name;
        if (!isCreated || path.includes('?') || isSubresource(path)) continue;
        const kind = `${body.apiVersion}/${body.kind}`;
        if (found.has(kind) || kind.includes('example.com') || body.kind === 'CustomResourceDefinition') continue;
        found.set(kind, {
          kind,
          path: path.replace(/namespaces\/[^/]+\//, `namespaces/${NAMESPACE}/`),
          object: { ...cleaned(body), ...REPLACED[kind] },
        });
      }
    }
  }
  return [...found.values()];
}

/** Replaces what recordings have other values for in each run. */
const REPLACED = {
  'v1/Pod': { spec: { containers: [{ name: 'main', image: 'example.com/main', ports: [{ containerPort: 80 }] }] } },
  'v1/Event': {
    involvedObject: { kind: 'Pod', name: 'a', namespace: NAMESPACE },
    ...{ type: 'Normal', reason: 'Made', message: 'It is there' },
  },
  'events.k8s.io/v1/Event': {
    regarding: { kind: 'Pod', name: 'a', namespace: NAMESPACE },
    eventTime: '2026-01-02T03:04:05.678901Z',
    ...{ series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' }, reportingController: 'example.com/a' },
    ...{ reportingInstance: 'a-1', action: 'Make', reason: 'Made', type: 'Normal' },
  },
  'certificates.k8s.io/v1/CertificateSigningRequest': {
    spec: { request: REQUEST, signerName: 'example.com/signer', usages: ['client auth'], expirationSeconds: 3600 },
  },
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': { webhooks: [webhook('validate')] },
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': { webhooks: [webhook('mutate')] },
};

function webhook(name) {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `https://127.0.0.1:1/${name}` },
    rules: [{ apiGroups: ['nothing.example.com'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Ignore' },
  };
}

function isSubresource(path) {
  return path.split('/').slice(path.startsWith('/api/') ? 3 : 4).length > (path.includes('/namespaces/') ? 3 : 1);
}

function cleaned(body) {
  const { status: _, ...rest } = withoutPlaceholders(body);
  const metadata = Object.fromEntries(Object.entries(rest.metadata).filter(([name]) => !SET_BY_SERVERS.includes(name)));
  if (metadata.namespace !== undefined) metadata.namespace = NAMESPACE;
  return { ...rest, metadata };
}

/** Leaves out values that differ between runs, which the recordings have as `<address>`. */
function withoutPlaceholders(value) {
  if (Array.isArray(value)) return value.map(withoutPlaceholders).filter((item) => item !== undefined);
  if (typeof value === 'string') return /^<.*>$/.test(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, item]) => [name, withoutPlaceholders(item)]);
  return Object.fromEntries(
    entries.filter(([, item]) => item !== undefined && !(Array.isArray(item) && item.length === 0)),
  );
}

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', format: 'int64', default: 3 },
        share: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const version = (name, storage, more = {}) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  ...more,
});

/** Definitions in the forms in which they are stored differently. */
export function definitions() {
  const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  return [
    define('ones', 'One', [
      version('v1', true, { subresources: { status: {}, scale }, additionalPrinterColumns: columns }),
    ]),
    define('twos', 'Two', [version('v2', false), version('v1', true), version('v1beta1', false)]),
    define(
      'wides',
      'Wide',
      [version('v1', true, { selectableFields: [{ jsonPath: '.spec.share' }] })].map(withoutSelectable),
      'Cluster',
    ),
    define('mixes', 'Mix', [version('v2', true, { additionalPrinterColumns: columns }), version('v1', false)]),
  ];
}

/** Numbers cannot be selected by; a text is. */
function withoutSelectable(item) {
  return { ...item, selectableFields: [{ jsonPath: '.spec.name' }], schema: { openAPIV3Schema: withName() } };
}

function withName() {
  const { spec, status } = schema.properties;
  return {
    ...schema,
    properties: { spec: { ...spec, properties: { ...spec.properties, name: { type: 'string' } } }, status },
  };
}

function define(plural, kind, versions, scope = 'Namespaced') {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.exchange.example.com` },
    spec: { group: 'exchange.example.com', scope, names, versions },
  };
}

/** Returns custom resources of a definition, one for each version. */
export function customResources({ spec: { group, scope, names, versions } }) {
  return versions.map(({ name }) => {
    const apiVersion = `${group}/${name}`;
    const home = scope === 'Cluster' ? '' : `namespaces/${NAMESPACE}/`;
    const spec = { share: 1.5, tags: [], free: { deep: [{ a: null }], big: 1e21, 'ü"\\': '\u2028' }, port: 'http' };
    const object = { apiVersion, kind: names.kind, metadata: { name: `of-${name}`, labels: {} }, spec };
    return { kind: `${apiVersion}/${names.kind}`, path: `/apis/${apiVersion}/${home}${names.plural}`, object };
  });
}

/** Returns the bytes of the objects with every field set, by `group/version/Kind`. */
export function goldenBytes() {
  return new Map(
    readdirSync(golden)
      .filter((name) => name.endsWith('.pb'))
      .map((name) => {
        const [, group, version, kind] = /^(.+)\.(v\d\w*)\.(\w+)\.pb$/.exec(name);
        return [`${group === 'core' ? '' : group}/${version}/${kind}`, readFileSync(join(golden, name))];
      }),
  );
}
