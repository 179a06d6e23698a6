import type { Draw } from '../draw.ts';
import type { AttackFamily } from '../family.ts';
import { isServerError, sampleOf } from '../judge.ts';
import type { PlainRequest, Target } from '../target.ts';

const GROUP = 'hostile.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROWTHS = `/apis/${GROUP}/v1/namespaces/default/growths`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** etcd's refusals in the words kube-apiserver passes on; ours may be a 413 as well. */
const TOO_LARGE = ['etcdserver: request is too large', 'Request entity too large'];

const text = (bytes: number): string => 'd'.repeat(bytes);
const filled = (bytes: number) => ({ type: 'object', properties: { a: { type: 'string', default: text(bytes) } } });
const listOf = (items: object) => ({ type: 'array', items });
const FIELDS = {
  small: listOf(filled(100)),
  medium: listOf(filled(10_000)),
  large: listOf(filled(300_000)),
  map: { type: 'object', additionalProperties: filled(10_000) },
  nested: listOf(listOf(filled(1_000))),
  chained: listOf({
    type: 'object',
    properties: { inner: { ...listOf(filled(1_000)), default: Array.from({ length: 100 }, () => ({})) } },
  }),
  known: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: {
      type: 'object',
      required: ['k'],
      properties: { k: { type: 'integer' }, a: { type: 'string', default: text(5_000) } },
    },
  },
} as const;

const VERSION = {
  served: true,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: FIELDS },
        status: { type: 'object', properties: FIELDS },
      },
    },
  },
};

/** Small requests that become large objects: by defaults, copies, merges and managers. */
export const growth: AttackFamily = {
  name: 'growth',
  weight: 3,
  prepare,
  async attack(draw, target) {
    const request = draw.from(REQUESTS)(draw);
    const { status, text: answer } = await target.send(request);
    const isTooLarge = status === 413 || (status === 500 && TOO_LARGE.some((words) => answer.includes(words)));
    if (isTooLarge || !isServerError(status, answer, request)) return [{ status }];
    return [{ status, complaint: `${status} ${answer.slice(0, 160)}`, sample: sampleOf(request) }];
  },
};

async function prepare(target: Target): Promise<void> {
  const names = { plural: 'growths', kind: 'Growth' };
  const versions = [
    { name: 'v1', storage: true, ...VERSION },
    { name: 'v2', storage: false, ...VERSION },
  ];
  await target.create({
    collection: DEFINITIONS,
    object: { metadata: { name: `growths.${GROUP}` }, spec: { group: GROUP, scope: 'Namespaced', names, versions } },
  });
  await target.create({ collection: MAPS, object: { metadata: { name: 'growing' }, data: { a: text(100_000) } } });
}

const COUNTS = [10, 100, 1_000, 5_000, 20_000];

function fields(draw: Draw): object {
  const count = draw.from(COUNTS);
  const empty = Array.from({ length: count }, () => ({}));
  return draw.from<() => object>([
    () => ({ small: empty }),
    () => ({ medium: empty }),
    () => ({ large: empty }),
    () => ({ map: Object.fromEntries(empty.map((value, i) => [`k${i}`, value])) }),
    () => ({ nested: empty.slice(0, 200).map(() => empty.slice(0, 100)) }),
    () => ({ chained: empty }),
    () => ({ known: empty.map((_, k) => ({ k })) }),
  ])();
}

const name = (draw: Draw): string => draw.from(['g1', 'g2', 'g3']);
const growing = (draw: Draw) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Growth',
  metadata: { name: name(draw) },
  spec: fields(draw),
});
const patching = (target: string, type: string, body: object): PlainRequest => ({
  method: 'PATCH',
  target,
  headers: { 'content-type': type },
  body,
});

const REQUESTS: readonly ((draw: Draw) => PlainRequest)[] = [
  (draw) => ({ method: 'POST', target: GROWTHS, body: growing(draw) }),
  (draw) => ({
    method: 'POST',
    target: `${GROWTHS}?dryRun=All`,
    body: { ...growing(draw), metadata: { generateName: 'g-' } },
  }),
  (draw) => ({
    method: 'POST',
    target: GROWTHS.replace('/v1/', '/v2/'),
    body: { ...growing(draw), apiVersion: `${GROUP}/v2` },
  }),
  (draw) => patching(`${GROWTHS}/${name(draw)}`, 'application/merge-patch+json', { spec: fields(draw) }),
  (draw) => patching(`${GROWTHS}/${name(draw)}/status`, 'application/merge-patch+json', { status: fields(draw) }),
  (draw) => {
    const object = growing(draw);
    return patching(`${GROWTHS}/${object.metadata.name}?fieldManager=m${draw.below(50)}&force=true`, APPLY, object);
  },
  (draw) => ({ method: 'DELETE', target: `${GROWTHS}/${name(draw)}` }),
  () => ({ method: 'GET', target: GROWTHS.replace('/v1/', '/v2/') }),
  // Each copy holds all before it.
  (draw) => {
    const copies = Array.from({ length: draw.from([5, 20, 60]) }, (_, i) => ({
      op: 'copy',
      from: '/data',
      path: `/data/k${i}`,
    }));
    return patching(`${MAPS}/growing?dryRun=All`, PATCH, copies);
  },
  (draw) => {
    const copies = Array.from({ length: draw.from([5, 50, 500, 5_000]) }, (_, i) => ({
      op: 'copy',
      from: '/data/a',
      path: `/data/k${i}`,
    }));
    return patching(`${MAPS}/growing?dryRun=All`, PATCH, copies);
  },
  // Each item gets a dozen fields by default.
  (draw) => {
    const containers = Array.from({ length: draw.from([10, 500, 5_000]) }, (_, i) => ({
      name: `c${i}`,
      image: 'i',
      ports: [{ containerPort: 1 }],
    }));
    const labels = { a: 'b' };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    return { method: 'POST', target: `${DEPLOYMENTS}?dryRun=All`, body: { metadata: { name: 'grown' }, spec } };
  },
  // Each manager owns every field.
  (draw) => {
    const data = Object.fromEntries(Array.from({ length: draw.from([10, 1_000, 5_000]) }, (_, i) => [`k${i}`, 'x']));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data };
    return patching(`${MAPS}/owned?fieldManager=m${draw.below(2_000)}&force=true`, APPLY, object);
  },
];
