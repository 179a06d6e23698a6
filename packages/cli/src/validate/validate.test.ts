import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validateAll } from '../project/validate.ts';
import { readManifests } from './read-manifests.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(text: string, name = 'some.yaml') {
  const path = join(folder, name);
  writeFileSync(path, text);
  return readManifests(path);
}

/** What was found, as `Kind name: problem`, in the order in which it was written. */
async function check(...documents: readonly string[]): Promise<string[]> {
  const all = written(documents.join('\n---\n'));
  const findings = await validateAll(all);
  return all.map((each) => {
    const { object, problem } = findings.get(each)!;
    return `${object ?? ''}${problem === undefined ? '' : `: ${problem}`}`;
  });
}

const about = (apiVersion: string, kind: string, metadata: string, rest = '') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {${metadata}}\n${rest}`;
const pod = (metadata: string, more = '') =>
  about('v1', 'Pod', metadata, `spec: {${more} containers: [{name: c, image: x}]}`);
const config = (name: string, data = '') =>
  about('v1', 'ConfigMap', `name: ${name}, namespace: default`, `data: {${data}}`);

describe('objects are judged as on a cluster that has all of them', () => {
  test('pods find their service accounts and namespaces', async () => {
    expect(
      await check(
        pod('name: plain'),
        pod('name: own, namespace: shop', 'serviceAccountName: clerk,'),
        about('v1', 'ServiceAccount', 'name: clerk, namespace: shop'),
        pod('name: lost, namespace: shop', 'serviceAccountName: nobody,'),
      ),
    ).toEqual([
      'Pod plain',
      'Pod shop/own',
      'ServiceAccount shop/clerk',
      expect.stringContaining('serviceaccount "nobody" not found'),
    ]);
  });

  test('labels of a namespace count for what is in it, wherever it stands', async () => {
    const [refused] = await check(
      pod('name: p, namespace: strict'),
      about('v1', 'Namespace', 'name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}'),
    );
    expect(refused).toContain('violates PodSecurity "restricted:latest"');
  });

  test('a policy finds its parameters', async () => {
    const group = 'admissionregistration.k8s.io/v1';
    const found = await check(
      config('large', 'size: "9"'),
      about(
        group,
        'ValidatingAdmissionPolicy',
        'name: sizes',
        `spec:
  paramKind: {apiVersion: v1, kind: Secret}
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "int(object.data.size) <= size(params.data)", message: too large}]`,
      ),
      about(
        group,
        'ValidatingAdmissionPolicyBinding',
        'name: sizes',
        'spec: {policyName: sizes, validationActions: [Deny], paramRef: {name: most, namespace: default, parameterNotFoundAction: Allow}}',
      ),
      about('v1', 'Secret', 'name: most, namespace: default', 'stringData: {a: x, b: x}'),
      config('small', 'size: "2"'),
    );
    expect(found[0]).toContain('too large');
    expect(found.slice(1)).toEqual([
      'ValidatingAdmissionPolicy sizes',
      'ValidatingAdmissionPolicyBinding sizes',
      'Secret default/most',
      'ConfigMap default/small',
    ]);
  });

  test('webhooks and quotas, which somebody would have to answer or count, do not stand in the way', async () => {
    const webhook = `webhooks:
- name: a.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {url: 'https://127.0.0.1:1/'}
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]`;
    expect(
      await check(
        about('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'name: all', webhook),
        about('v1', 'ResourceQuota', 'name: q, namespace: default', 'spec: {hard: {pods: 1}}'),
        pod('name: p'),
      ),
    ).toEqual(['ValidatingWebhookConfiguration all', 'ResourceQuota default/q', 'Pod p']);
  });

  test('objects of any version of a definition are judged, though nobody is there to convert them', async () => {
    const schema =
      '{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {n: {type: integer}}}}}}';
    const definition = about(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      'name: as.example.com',
      `spec:
  group: example.com
  names: {kind: A, plural: as}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://127.0.0.1:1/'}}}
  versions:
  - {name: v1, served: true, storage: true, schema: ${schema}}
  - {name: v2, served: true, storage: false, schema: ${schema}}`,
    );
    expect(
      await check(
        about('example.com/v2', 'A', 'name: a', 'spec: {n: 1}'),
        definition,
        about('example.com/v2', 'A', 'name: b', 'spec: {n: x}'),
        about('example.com/v3', 'A', 'name: c'),
        about('example.com/v1', 'B', 'name: d'),
      ),
    ).toEqual([
      'A a',
      'CustomResourceDefinition as.example.com',
      expect.stringContaining('must be of type integer'),
      'A c: example.com/v3 has no A: its CustomResourceDefinition serves only v1, v2',
      'B d: example.com/v1 has no B: its CustomResourceDefinition is not among the files',
    ]);
  });

  test('what is written twice is changed the second time', async () => {
    const [, second] = await check(
      about('v1', 'Service', 'name: s', 'spec: {ports: [{port: 80}]}'),
      about('v1', 'Service', 'name: s', 'spec: {ports: [{port: 90000}]}'),
    );
    expect(second).toContain('spec.ports[0].port');
  });
});

test.each([
  ['apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]', ['Pod a']],
  ['apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]', ['Pod a', 'Pod b']],
  ['# nothing\n---\n---\n', []],
  ['hello', ['a document is not an object']],
  ['- a\n', ['a document is not an object']],
  ['kind: Pod\nmetadata: {name: a}', ['an object has no apiVersion']],
  ['apiVersion: v1\nmetadata: {name: a}', ['an object has no kind']],
  ['apiVersion: v1\nkind: Pod', ['a Pod has no metadata']],
  ['apiVersion: v1\nkind: [', [expect.stringContaining('yaml: line')]],
])('%j is read as %j', (text, expected) => {
  const found = written(text).map((each) =>
    'problem' in each ? each.problem : `${each.object.kind} ${each.object.metadata.name}`,
  );
  expect(found).toEqual(expected);
});

test('what is for helm and kustomize in a folder is passed over', () => {
  const place = join(folder, 'manifests');
  mkdirSync(join(place, 'chart', 'templates'), { recursive: true });
  writeFileSync(
    join(place, 'kustomization.yaml'),
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
  );
  writeFileSync(join(place, 'chart', 'Chart.yaml'), 'name: fruits\n');
  writeFileSync(join(place, 'chart', 'templates', 'pod.yaml'), '{{ if }}');
  writeFileSync(join(place, 'chart-of-mine.yaml'), config('kept'));
  expect(readManifests(place)).toMatchObject([{ object: { metadata: { name: 'kept' } } }]);
});
