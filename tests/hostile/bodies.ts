import type { Draw } from './draw.ts';

export interface Body {
  readonly contentType: string;
  readonly bytes: Buffer;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A body that is nearly right, quite wrong, or made to cost a lot. */
export function hostileBody(draw: Draw, resource: string, isPatch: boolean): Body {
  if (draw.isLucky(0.01)) return { contentType: draw.from(TYPES), bytes: draw.from(EXPENSIVE)() };
  if (isPatch) return patchBody(draw, resource);
  const choice = draw.below(10);
  if (choice < 6) return { contentType: 'application/json', bytes: damaged(draw, json(draw, resource)) };
  if (choice < 8) return { contentType: 'application/yaml', bytes: damaged(draw, yaml(draw, resource)) };
  if (choice < 9) return { contentType: 'application/vnd.kubernetes.protobuf', bytes: protobuf(draw) };
  return { contentType: draw.from(TYPES), bytes: draw.bytes(400) };
}

const TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
  'text/plain',
  'application/json; charset=utf-16',
  '',
  ';;;',
];

const LIMIT = 3 * 1024 * 1024;

/** Bodies within the size limit that a careless reader spends seconds or a stack on. */
const EXPENSIVE: readonly (() => Buffer)[] = [
  () => Buffer.alloc(LIMIT - 1, '['),
  () => Buffer.from(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  () => Buffer.from(`[${'{},'.repeat(900_000)}{}]`),
  () => Buffer.from(`{"data":{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":""`).join(',')}}}`),
  () =>
    Buffer.from(
      `a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n`,
    ),
  () => Buffer.alloc(LIMIT - 1, '- '),
  () => Buffer.alloc(200_000, '{a: '),
  () => Buffer.from(`"${'\\u0000'.repeat(400_000)}"`),
  () =>
    Buffer.from(`[${Array.from({ length: 20_000 }, () => '{"op":"copy","from":"/data","path":"/data/x"}').join(',')}]`),
  () => Buffer.alloc(LIMIT + 1, ' '),
  () => Buffer.from(`{"metadata":{"name":"${'a'.repeat(2_000_000)}"}}`),
  () => Buffer.from(`${'1'.repeat(1_000_000)}`),
  () => Buffer.concat([Buffer.from('6b387300', 'hex'), Buffer.alloc(1_000_000, 0x0a)]),
];

function json(draw: Draw, resource: string): string {
  const object = baseObject(draw, resource);
  for (let i = draw.below(4); i > 0; i--) mutate(draw, object);
  const text = JSON.stringify(object);
  return draw.isLucky(0.1) ? text.replace('{', '{"kind":"Pod","kind":"Secret","__proto__":{"polluted":true},') : text;
}

/** An object that would be accepted as it is, mostly where it is sent. */
function baseObject(draw: Draw, resource: string): { [key: string]: Json } {
  const metadata = { name: draw.from(NAMES), labels: { a: 'b' }, annotations: { c: 'd' } };
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const selector = { matchLabels: { a: 'b' } };
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const involvedObject = { kind: 'Pod', namespace: 'default', name: 'a' };
  const objects: Readonly<Record<string, { [key: string]: Json }>> = {
    configmaps: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' }, binaryData: { c: 'AAAA' } },
    secrets: { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData: { a: 'b' } },
    pods: { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec },
    namespaces: { apiVersion: 'v1', kind: 'Namespace', metadata },
    nodes: { apiVersion: 'v1', kind: 'Node', metadata },
    serviceaccounts: { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    events: { apiVersion: 'v1', kind: 'Event', metadata, involvedObject, reason: 'r', type: 'Normal' },
    services: { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
    deployments: { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, selector, template } },
    jobs: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
    },
    leases: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { leaseDurationSeconds: 5 } },
    clusterroles: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules },
    customresourcedefinitions: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
    deleteoptions: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', gracePeriodSeconds: 0 },
  };
  const kind = draw.isLucky(0.1) ? draw.from(Object.keys(objects)) : resource;
  return structuredClone(objects[kind] ?? objects.configmaps!);
}

export const NAMES = ['a', 'b', 'web', 'x'.repeat(63), 'kube-root-ca.crt'];
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  'a/b',
  '~1',
  'metadata',
  'spec',
  'items',
  '$patch',
];
const ODD_VALUES: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1.5,
  () => Number.MAX_SAFE_INTEGER,
  () => 1e300,
  () => '',
  () => '\u0000',
  () => '\ud800',
  () => '../../etc/passwd',
  () => '%2e%2e%2f',
  () => 'x'.repeat(300),
  () => [],
  () => ({}),
  () => [[[[[[]]]]]],
  () => JSON.parse('{"__proto__":{"polluted":"yes"}}'),
  () => 'delete',
  () => '9999999999999999999999',
  () => '2026-99-99T99:99:99Z',
];

/** Changes one place, anywhere in the value. */
function mutate(draw: Draw, value: { [key: string]: Json } | Json[]): void {
  const keys = Object.keys(value);
  const key = draw.isLucky(0.25) || keys.length === 0 ? draw.from(ODD_KEYS) : draw.from(keys);
  const child = (value as { [key: string]: Json })[key];
  if (typeof child === 'object' && child !== null && Object.hasOwn(value, key) && draw.isLucky(0.7)) {
    mutate(draw, child as { [key: string]: Json });
  } else if (draw.isLucky(0.15)) delete (value as { [key: string]: Json })[key];
  else
    Object.defineProperty(value, key, {
      value: draw.from(ODD_VALUES)(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function yaml(draw: Draw, resource: string): string {
  const object = json(draw, resource);
  return draw.from([
    object,
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${draw.from(NAMES)}\ndata:\n  a: !!binary AAAA\n`,
    `apiVersion: v1\nkind: ConfigMap\nmetadata: &m\n  name: a\n  labels: {<<: *m}\n`,
    `---\n${object}\n---\n${object}\n`,
    `%YAML 1.1\n---\n${object}`,
    `? [a, b]\n: c\n`,
    `a: |\n\t${draw.text(50)}\n`,
    `!!js/function 'x'\n`,
    draw.text(200),
  ]);
}

function protobuf(draw: Draw): Buffer {
  const magic = Buffer.from('6b387300', 'hex');
  // Unknown{typeMeta{apiVersion: "v1", kind: "ConfigMap"}, raw: metadata{name: "a"}}
  const right = Buffer.from('0a0f0a02763112 09436f6e6669674d617012050a030a0161'.replaceAll(' ', ''), 'hex');
  return draw.isLucky(0.5) ? Buffer.concat([magic, flipped(draw, right)]) : Buffer.concat([magic, draw.bytes(200)]);
}

function patchBody(draw: Draw, resource: string): Body {
  const paths = [
    '/data',
    '/data/a',
    '/metadata/labels/__proto__',
    '/metadata/name',
    '',
    '/',
    '/~2',
    '/spec/-',
    '/metadata/labels/a~1b',
  ];
  const operation = () => ({
    op: draw.from(['add', 'remove', 'replace', 'move', 'copy', 'test', 'nonsense']),
    path: draw.from(paths),
    from: draw.from(paths),
    value: draw.from(ODD_VALUES)(),
  });
  return draw.from<() => Body>([
    () => ({
      contentType: 'application/json-patch+json',
      bytes: damaged(draw, JSON.stringify(Array.from({ length: draw.below(6) }, operation))),
    }),
    () => ({ contentType: 'application/merge-patch+json', bytes: damaged(draw, json(draw, resource)) }),
    () => ({ contentType: 'application/strategic-merge-patch+json', bytes: damaged(draw, strategic(draw, resource)) }),
    () => ({ contentType: 'application/apply-patch+yaml', bytes: damaged(draw, yaml(draw, resource)) }),
    () => ({ contentType: draw.from(TYPES), bytes: damaged(draw, json(draw, resource)) }),
  ])();
}

function strategic(draw: Draw, resource: string): string {
  return draw.from([
    json(draw, resource),
    '{"$patch":"delete"}',
    '{"metadata":{"$patch":"replace","labels":{"x":"y"}}}',
    '{"metadata":{"$retainKeys":["labels"],"labels":null}}',
    '{"spec":{"containers":[{"$patch":"delete"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"z"}],"containers":[{"name":"c","image":7}]}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a",1,null]}}',
    '{"spec":{"template":{"spec":{"containers":[{"name":"c","ports":[{"$patch":"merge"}]}]}}}}',
  ]);
}

/** Mostly as it is; sometimes cut short, with bytes changed, or with numbers no double can hold. */
function damaged(draw: Draw, text: string): Buffer {
  const choice = draw.below(12);
  if (choice === 0) return Buffer.from(text.slice(0, draw.below(text.length + 1)));
  if (choice === 1) return flipped(draw, Buffer.from(text));
  if (choice === 2)
    return Buffer.from(
      text.replace(/:"[^"]*"/, draw.from([':1e400', ':-0', ':9007199254740993', ':NaN', ':01', ':"\\ud800"'])),
    );
  return Buffer.from(text);
}

function flipped(draw: Draw, bytes: Buffer): Buffer {
  for (let i = 1 + draw.below(3); i > 0 && bytes.length > 0; i--) bytes[draw.below(bytes.length)] = draw.below(256);
  return bytes;
}
