import { realClock } from '@pintle/async';
import { PREFACE, settingsFrame } from '@pintle/http2';
import type { Draw } from '../draw.ts';
import type { AttackFamily, Outcome } from '../family.ts';
import type { Target } from '../target.ts';
import { TOKENS } from '../target.ts';
import { connectTo } from '../wire/connect.ts';
import type { Field } from '../wire/http1.ts';
import { framesOf } from '../wire/http2.ts';

const NAMESPACE = 'hostile-large';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const OBJECTS = 400;
const OBJECT_BYTES = 20_000;
const HOLD_MS = 300;
const MOST_STREAMS = 60;

/** Every form a long answer has. */
const FORMS: readonly { readonly target: string; readonly accept: string; readonly encoding?: string }[] = [
  { target: MAPS, accept: 'application/json' },
  { target: `${MAPS}?pretty=true`, accept: 'application/json' },
  { target: MAPS, accept: 'application/yaml' },
  { target: MAPS, accept: 'application/vnd.kubernetes.protobuf' },
  { target: MAPS, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  { target: `${MAPS}?includeObject=Object`, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  { target: `${MAPS}?includeObject=Object`, accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io' },
  { target: MAPS, accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  { target: MAPS, accept: 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
  { target: MAPS, accept: 'application/json', encoding: 'gzip' },
  { target: MAPS, accept: 'application/vnd.kubernetes.protobuf', encoding: 'gzip' },
  { target: `${MAPS}?watch=true`, accept: 'application/json' },
  { target: `${MAPS}?watch=true`, accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
  {
    target: `${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    accept: 'application/json',
  },
  { target: '/openapi/v2', accept: 'application/json' },
  { target: '/openapi/v2', accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
  { target: '/openapi/v3/apis/apps/v1', accept: 'application/json' },
  { target: '/api/v1', accept: 'application/json' },
  { target: '/metrics', accept: 'text/plain' },
];

/**
 * Clients that ask for long answers in every form and take nothing of them, while somebody else wants an answer. Only the
 * latter is counted.
 */
export const unreadAnswers: AttackFamily = {
  name: 'unread answers',
  weight: 0.2,
  prepare,
  async attack(draw, target) {
    const count = 1 + draw.below(MOST_STREAMS);
    const socket = await (draw.isLucky(0.6) ? unreadHttp2(draw, target, count) : unreadHttp1(draw, target, count));
    const others = await Promise.all([
      ask(target, '/readyz', TOKENS.admin),
      ask(target, `${MAPS}/m0`, TOKENS.admin),
      realClock.sleep(HOLD_MS),
    ]);
    socket.destroy();
    return [others[0], others[1]];
  },
};

async function prepare(target: Target): Promise<void> {
  const text = 'x'.repeat(OBJECT_BYTES);
  const role = 'hostile-reader';
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const rules = [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { nonResourceURLs: ['*'], verbs: ['get'] },
  ];
  await target.create(
    { collection: '/api/v1/namespaces', object: { metadata: { name: NAMESPACE } } },
    { collection: `${rbac}/clusterroles`, object: { metadata: { name: role }, rules } },
    {
      collection: `${rbac}/clusterrolebindings`,
      object: {
        metadata: { name: role },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'readers' }],
      },
    },
    ...Array.from({ length: OBJECTS }, (_, i) => ({
      collection: MAPS,
      object: { metadata: { name: `m${i}` }, data: { text } },
    })),
  );
}

function fieldsOf({ accept, encoding }: (typeof FORMS)[number], token: string): Field[] {
  const asked: Field[] = [
    ['accept', accept],
    ['authorization', `Bearer ${token}`],
  ];
  return encoding === undefined ? asked : [...asked, ['accept-encoding', encoding]];
}

/** Streams on one connection whose windows stay shut. */
async function unreadHttp2(draw: Draw, target: Target, count: number) {
  const socket = await connectTo(target, 'h2');
  socket.pause();
  const token = draw.from([TOKENS.reader, TOKENS.reader, TOKENS.admin, TOKENS.nobody]);
  const frames = Array.from({ length: count }, (_, i) => {
    const form = draw.from(FORMS);
    return framesOf(2 * i + 1, { method: 'GET', target: form.target, fields: fieldsOf(form, token) });
  });
  socket.write(Buffer.concat([PREFACE, settingsFrame([]), ...frames.flat()]));
  return socket;
}

/** Requests behind each other on one connection that is not read. */
async function unreadHttp1(draw: Draw, target: Target, count: number) {
  const socket = await connectTo(target, 'http/1.1');
  socket.pause();
  const token = draw.from([TOKENS.reader, TOKENS.reader, TOKENS.admin, TOKENS.nobody]);
  const filler = 'x'.repeat(draw.from([0, 100, 10_000, 50_000]));
  const requests = Array.from({ length: count }, () => {
    const form = draw.from(FORMS);
    const fields = [...fieldsOf(form, token), ['x-filler', filler]].map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${form.target} HTTP/1.1\r\nHost: hostile\r\n${fields.join('')}\r\n`;
  });
  socket.write(requests.join(''), 'latin1');
  return socket;
}

async function ask(target: Target, path: string, token: string): Promise<Outcome> {
  const { status, text } = await target.send({ method: 'GET', target: path, token });
  // 404: a random request deleted what was prepared.
  if (status === 200 || status === 404) return { status };
  return { status, complaint: `others got ${status} ${text.slice(0, 160)} meanwhile`, sample: path };
}
