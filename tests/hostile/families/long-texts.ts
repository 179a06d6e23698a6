import type { Draw } from '../draw.ts';
import type { AttackFamily } from '../family.ts';
import { isServerError, sampleOf } from '../judge.ts';
import type { PlainRequest } from '../target.ts';
import { TOKENS } from '../target.ts';

const BYTES = 2_900_000;
const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const OBJECT = `${MAPS}/kube-root-ca.crt`;
/** Characters that are longer when they are quoted, mean something to a reader of paths, or nothing. */
const FILLINGS = ['a', '\x7f', '\u0080', '"', '\\', '/', '~', '.', '🐙', '\u2028', '1', '%', '*'];

const post = (target: string, body: object): PlainRequest => ({ method: 'POST', target, body });
const patch = (type: string, body: object): PlainRequest => ({
  method: 'PATCH',
  target: OBJECT,
  headers: { 'content-type': `application/${type}` },
  body,
});
const pods = (spec: object) => post('/api/v1/namespaces/default/pods?dryRun=All', { metadata: { name: 'a' }, spec });

const PLACES: readonly ((text: string) => PlainRequest)[] = [
  (text) => post(MAPS, { metadata: { name: text } }),
  (text) => post(MAPS, { metadata: { generateName: text } }),
  (text) => post(MAPS, { metadata: { name: 'a', namespace: text } }),
  (text) => post(MAPS, { metadata: { name: 'a', labels: { a: text, [text.slice(0, 1_000_000)]: 'b' } } }),
  (text) => post(MAPS, { metadata: { name: 'a', annotations: { [text]: '' } } }),
  (text) => post(MAPS, { metadata: { name: 'a', finalizers: [text] } }),
  (text) => post(MAPS, { metadata: { name: 'a' }, data: { [text]: 'x' } }),
  (text) => post(MAPS, { metadata: { name: 'a' }, binaryData: { a: text } }),
  (text) => post(MAPS, { apiVersion: text, kind: 'ConfigMap', metadata: { name: 'a' } }),
  (text) => post(MAPS, { apiVersion: 'v1', kind: text, metadata: { name: 'a' } }),
  (text) => post(`${MAPS}?fieldValidation=Strict`, { metadata: { name: 'a' }, [text]: 1 }),
  (text) => ({ ...post(REVIEWS, { metadata: { creationTimestamp: text }, spec: {} }), token: TOKENS.nobody }),
  (text) => ({
    ...post(REVIEWS, { spec: { resourceAttributes: { resource: text, verb: text } } }),
    token: TOKENS.nobody,
  }),
  (text) => ({ ...post(REVIEWS, { kind: text, spec: {} }), token: TOKENS.nobody }),
  (text) => pods({ containers: [{ name: text, image: 'i' }] }),
  (text) => pods({ containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: text } } }] }),
  (text) => pods({ containers: [{ name: 'c', image: 'i', env: [{ name: text, value: text.slice(0, 100) }] }] }),
  (text) => pods({ containers: [{ name: 'c', image: 'i' }], nodeName: text }),
  (text) => post('/apis/batch/v1/namespaces/default/cronjobs', { metadata: { name: 'a' }, spec: { schedule: text } }),
  (text) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: text } }),
  (text) => patch('json-patch+json', [{ op: 'add', path: text, value: 1 }]),
  (text) => patch('json-patch+json', [{ op: 'copy', from: text, path: '/a' }]),
  (text) => patch('json-patch+json', [{ op: text, path: '/a' }]),
  (text) => patch('strategic-merge-patch+json', { metadata: { $patch: text } }),
  (text) => patch('merge-patch+json', { metadata: { resourceVersion: text } }),
  (text) => patch('apply-patch+yaml', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, [text]: 1 }),
];

/** Requests that are one text of megabytes, where a refusal may quote it. */
export const longTexts: AttackFamily = {
  name: 'long texts',
  weight: 1,
  async attack(draw: Draw, target) {
    const filling = draw.from(FILLINGS);
    const text = filling.repeat(BYTES / Buffer.byteLength(JSON.stringify(filling).slice(1, -1)));
    const request = draw.from(PLACES)(text);
    const { status, text: answer } = await target.send(request);
    if (!isServerError(status, answer, request)) return [{ status }];
    return [{ status, complaint: `${status} ${answer.slice(0, 100)}`, sample: sampleOf(request) }];
  },
};
