import type { Draw } from '../draw.ts';
import type { AttackFamily, Outcome } from '../family.ts';
import { isServerError, sampleOf } from '../judge.ts';
import type { PlainRequest } from '../target.ts';
import { TOKENS } from '../target.ts';
import { sendHttp2 } from '../wire/http2.ts';

const WORDS = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'length', 'name', 'then'];
const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };

type Place = (word: string) => PlainRequest;

const get = (target: string, headers: Record<string, string> = {}): PlainRequest => ({
  method: 'GET',
  target,
  headers,
});
const post = (target: string, body: object): PlainRequest => ({ method: 'POST', target, body });

/** Where a client's word goes into a request. */
const PLACES: readonly Place[] = [
  // Paths.
  (word) => get(`/${word}`),
  (word) => get(`/api/${word}/pods`),
  (word) => get(`/apis/${word}`),
  (word) => get(`/apis/${word}/v1/pods`),
  (word) => get(`/apis/apps/${word}/deployments`),
  (word) => get(`/api/v1/${word}`),
  (word) => get(`/api/v1/namespaces/${word}/pods`),
  (word) => get(`${MAPS}/${word}`),
  (word) => get(`/api/v1/namespaces/default/pods/a/${word}`),
  (word) => get(`/api/v1/watch/${word}`),
  (word) => get(`/openapi/v3/apis/${word}/v1`),
  (word) => get(`/healthz/${word}`),
  (word) => get(`/livez?exclude=${word}`),
  (word) => get(`/metrics/${word}`),
  (word) => get(`/debug/${word}`),
  // Queries.
  (word) => get(`${MAPS}?${word}=1`),
  (word) => get(`${MAPS}?labelSelector=${word}`),
  (word) => get(`${MAPS}?labelSelector=${word}%3D${word}`),
  (word) => get(`${MAPS}?fieldSelector=${word}%3D1`),
  (word) => get(`${MAPS}?fieldSelector=metadata.${word}%3D1`),
  (word) => get(`${MAPS}?resourceVersionMatch=${word}&resourceVersion=1`),
  (word) => get(`${MAPS}?includeObject=${word}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
  (word) => get(`${MAPS}?pretty=${word}`),
  (word) => ({ method: 'DELETE', target: `${MAPS}/missing?propagationPolicy=${word}` }),
  (word) => ({ method: 'DELETE', target: `${MAPS}/missing?dryRun=${word}` }),
  (word) => post(`${MAPS}?fieldValidation=${word}`, { metadata: { name: 'a' } }),
  (word) => post(`${MAPS}?fieldManager=${word}&dryRun=All`, { metadata: { name: 'words' } }),
  // Headers.
  (word) => get(MAPS, { accept: word }),
  (word) => get(MAPS, { accept: `application/${word}` }),
  (word) => get(MAPS, { accept: `application/json;as=${word};v=v1;g=meta.k8s.io` }),
  (word) => get(MAPS, { accept: `application/json;${word}=1` }),
  (word) => get(MAPS, { 'accept-encoding': word }),
  (word) => ({ method: 'POST', target: MAPS, headers: { 'content-type': word }, body: '{}' }),
  (word) => ({
    method: 'POST',
    target: MAPS,
    headers: { 'content-type': `application/json;charset=${word}` },
    body: '{}',
  }),
  (word) => ({ method: 'POST', target: MAPS, headers: { 'content-encoding': word }, body: '{}' }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/a`,
    headers: { 'content-type': `application/${word}-patch+json` },
    body: '{}',
  }),
  (word) => get(MAPS, { [`impersonate-extra-${word}`]: 'x', 'impersonate-user': 'jane' }),
  (word) => get(MAPS, { 'impersonate-user': word, 'impersonate-group': word }),
  (word) => get(MAPS, { 'user-agent': word }),
  (word) => get(MAPS, { 'sec-websocket-protocol': word, upgrade: word }),
  (word) => ({ ...get(MAPS), token: word }),
  // Bodies.
  (word) => post(MAPS, { apiVersion: word, kind: word, metadata: { name: 'a' } }),
  (word) => post(MAPS, { apiVersion: 'v1', kind: word, metadata: { name: 'a' } }),
  (word) => post(`${MAPS}?dryRun=All`, { metadata: { name: 'words', labels: own(word, word) }, data: own(word, word) }),
  (word) => post(`${MAPS}?dryRun=All`, own(word, { a: 1 })),
  (word) =>
    post(`${MAPS}?dryRun=All`, { metadata: { name: 'words', finalizers: [word], annotations: own(word, 'x') } }),
  (word) =>
    post(`${MAPS}?dryRun=All`, { metadata: { name: 'words', managedFields: [{ manager: word, operation: word }] } }),
  (word) =>
    post(`${MAPS}?dryRun=All`, {
      metadata: { name: 'words', ownerReferences: [{ apiVersion: word, kind: word, name: word, uid: word }] },
    }),
  (word) => post('/api/v1/namespaces/default/pods?dryRun=All', pod({ restartPolicy: word, dnsPolicy: word })),
  (word) =>
    post('/api/v1/namespaces/default/pods?dryRun=All', pod({ nodeSelector: own(word, 'x'), priorityClassName: word })),
  (word) => post('/api/v1/namespaces/default/pods?dryRun=All', pod({ volumes: [{ name: 'v', ...own(word, {}) }] })),
  (word) =>
    post(
      '/api/v1/namespaces/default/pods?dryRun=All',
      pod({ tolerations: [{ key: word, operator: word, effect: word }] }),
    ),
  (word) =>
    post(
      '/api/v1/namespaces/default/pods?dryRun=All',
      pod({}, { resources: { limits: own(word, '1'), requests: { cpu: `1${word}` } } }),
    ),
  (word) =>
    post(
      '/api/v1/namespaces/default/pods?dryRun=All',
      pod({}, { ports: [{ containerPort: 1, protocol: word, name: 'p' }] }),
    ),
  (word) => post('/api/v1/namespaces/default/services?dryRun=All', service({ type: word, sessionAffinity: word })),
  (word) =>
    post('/api/v1/namespaces/default/services?dryRun=All', service({ ipFamilies: [word], ipFamilyPolicy: word })),
  (word) =>
    post('/api/v1/namespaces/default/resourcequotas?dryRun=All', {
      metadata: { name: 'words' },
      spec: { hard: own(word, '1'), scopes: [word] },
    }),
  (word) =>
    post('/api/v1/namespaces/default/limitranges?dryRun=All', {
      metadata: { name: 'words' },
      spec: { limits: [{ type: word, max: own(word, '1') }] },
    }),
  (word) =>
    post('/api/v1/namespaces/default/secrets?dryRun=All', {
      metadata: { name: 'words' },
      type: word,
      data: own(word, 'eA=='),
    }),
  (word) =>
    post('/api/v1/namespaces?dryRun=All', {
      metadata: { name: 'words', labels: { 'pod-security.kubernetes.io/enforce': word } },
    }),
  (word) =>
    post('/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All', {
      metadata: { name: 'words' },
      rules: [{ apiGroups: [word], resources: [word], verbs: [word] }],
    }),
  (word) =>
    post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?dryRun=All', {
      metadata: { name: 'words' },
      roleRef: { apiGroup: word, kind: word, name: word },
      subjects: [{ kind: word, name: word }],
    }),
  (word) =>
    post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes: { group: word, resource: word, verb: word, namespace: word, subresource: word } },
    }),
  (word) =>
    post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: {
        user: word,
        groups: [word],
        extra: own(word, [word]),
        nonResourceAttributes: { path: `/${word}`, verb: word },
      },
    }),
  (word) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: word, audiences: [word] } }),
  (word) =>
    post('/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All', {
      metadata: { name: 'words' },
      spec: { signerName: `${word}/${word}`, usages: [word], request: word },
    }),
  (word) => post('/apis/apps/v1/namespaces/default/deployments?dryRun=All', deployment({ strategy: { type: word } })),
  (word) =>
    post('/apis/batch/v1/namespaces/default/cronjobs?dryRun=All', {
      metadata: { name: 'words' },
      spec: { schedule: `@${word}`, timeZone: word, concurrencyPolicy: word },
    }),
  (word) =>
    post('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All', {
      metadata: { name: 'words' },
      spec: { scaleTargetRef: { apiVersion: word, kind: word, name: word }, maxReplicas: 2, metrics: [{ type: word }] },
    }),
  (word) => post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', definition(word)),
  (word) => post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All', policy(word)),
  (word) =>
    post('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All', {
      metadata: { name: 'words' },
      spec: { priorityLevelConfiguration: { name: word }, distinguisherMethod: { type: word } },
    }),
  (word) =>
    post('/apis/apiregistration.k8s.io/v1/apiservices?dryRun=All', {
      metadata: { name: `v1.${word}` },
      spec: { group: word, version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
    }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/kube-root-ca.crt?dryRun=All`,
    headers: MERGE,
    body: { data: own(word, word) },
  }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/kube-root-ca.crt?dryRun=All`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { metadata: { ...own(`$${word}`, 1), ...own(`$setElementOrder/${word}`, []), $patch: word } },
  }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/kube-root-ca.crt?dryRun=All`,
    headers: { 'content-type': 'application/json-patch+json' },
    body: [
      { op: word, path: `/${word}` },
      { op: 'add', path: `/data/${word}`, value: 'x' },
    ],
  }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/kube-root-ca.crt?dryRun=All`,
    headers: { 'content-type': 'application/json-patch+json' },
    body: [{ op: 'copy', from: `/${word}`, path: `/metadata/${word}/${word}` }],
  }),
  (word) => ({
    method: 'PATCH',
    target: `${MAPS}/words?dryRun=All&fieldManager=${word}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words' }, data: own(word, word) },
  }),
  (word) => ({
    method: 'DELETE',
    target: `${MAPS}/missing`,
    body: { propagationPolicy: word, preconditions: own(word, word) },
  }),
];

/**
 * The names of the members that every object inherits, wherever a client's word goes. A table that is looked up with such
 * a word must not find them.
 */
export const prototypeWords: AttackFamily = {
  name: 'words of Object.prototype',
  weight: 15,
  async attack(draw, target) {
    const word = draw.from(WORDS);
    if (draw.isLucky(0.1)) return [await asMethod(draw, word, target)];
    const request = draw.from(PLACES)(word);
    const { status, text } = await target.send(request);
    if (!isServerError(status, text, request)) return [{ status }];
    return [{ status, complaint: `${status} ${text.slice(0, 160)}`, sample: sampleOf(request) }];
  },
};

/** HTTP/2 takes any token for a method. */
async function asMethod(draw: Draw, word: string, target: Parameters<typeof sendHttp2>[0]): Promise<Outcome> {
  const token = draw.from(['', TOKENS.nobody, TOKENS.admin]);
  const path = draw.from(['/api/v1/pods', `${MAPS}/a`, '/healthz', '/apis']);
  const fields = token === '' ? [] : [['authorization', `Bearer ${token}`] as const];
  const { status, text } = await sendHttp2(target, { method: word, target: path, fields });
  if (status < 500) return { status };
  return { status, complaint: `${status} ${text.slice(0, 160)}`, sample: `:method ${word} ${path}` };
}

/** `__proto__` as a key of its own. */
function own(key: string, value: unknown): object {
  return JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`);
}

function pod(spec: object, container: object = {}): object {
  return { metadata: { name: 'words' }, spec: { containers: [{ name: 'c', image: 'i', ...container }], ...spec } };
}

function service(spec: object): object {
  return { metadata: { name: 'words' }, spec: { ports: [{ port: 80 }], ...spec } };
}

function deployment(spec: object): object {
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return { metadata: { name: 'words' }, spec: { selector: { matchLabels: labels }, template, ...spec } };
}

function definition(word: string): object {
  const plural = word.toLowerCase().replaceAll('_', '');
  const schema = { type: 'object', properties: own(word, { type: word, format: word }), required: [word] };
  const rule = { rule: `self.${word} == 1` };
  return {
    metadata: { name: `${plural}.hostile.example.com` },
    spec: {
      group: 'hostile.example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Word', categories: [plural], shortNames: [plural] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { ...schema, 'x-kubernetes-validations': [rule] } },
          additionalPrinterColumns: [{ name: word, type: word, jsonPath: `.${word}` }],
        },
      ],
    },
  };
}

function policy(word: string): object {
  return {
    metadata: { name: 'words' },
    spec: {
      failurePolicy: word,
      paramKind: { apiVersion: word, kind: word },
      matchConstraints: {
        resourceRules: [{ apiGroups: [word], apiVersions: ['*'], resources: [word], operations: [word] }],
      },
      variables: [{ name: word, expression: '1' }],
      validations: [{ expression: `variables.${word} == 1 && ${word} == 1 && object.${word}()`, reason: word }],
    },
  };
}
