import type { KubernetesObject } from '@pintle/machinery';
import { describeFieldError } from '@pintle/machinery/errors';
import { Quantity } from '@pintle/machinery/quantity';
import type { ResourceRules } from '@pintle/machinery/rules';
import { describe, expect, test, vi } from 'vitest';
import { platformRules } from './platform/index.ts';
import { loadAll } from './testing/load-all.ts';
import { createObject } from './testing/read-object.ts';
import { workloadRules } from './workloads/index.ts';

const rulesOf = { ...(await loadAll(platformRules)), ...(await loadAll(workloadRules)) };
const core = { ...(await loadAll(platformRules))[''], ...(await loadAll(workloadRules))[''] };

/** Whatever looks for each item among all others takes many seconds for these. */
const MANY = 60_000;
const LIMIT_MS = 4_000;

const numbers = Array.from({ length: MANY }, (_, index) => index);
const addresses = numbers.map((index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
const ranges = addresses.map((address) => `${address}/32`);
const names = numbers.map((index) => `n${index}`);
const meta = { name: 'a' };

const rulesFor = (apiVersion: string, kind: string): ResourceRules => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : '';
  return (group === '' ? core : rulesOf[group]!)[kind]!;
};

function object(apiVersion: string, kind: string, fields: object): KubernetesObject {
  return createObject(rulesFor(apiVersion, kind), { apiVersion, kind, metadata: meta, ...fields });
}

describe('a new object with a long list is judged in time', () => {
  const volumes = names.map((name, index) => ({
    name,
    ...(index % 2 === 0 ? { ephemeral: {} } : { persistentVolumeClaim: { claimName: name } }),
  }));
  const claims = names.map((name) => ({ metadata: { name } }));
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [], volumes: names.map((name) => ({ name: `v${name}` })) },
  };
  const expressions = [{ podAffinityTerm: { labelSelector: { matchExpressions: numbers.map(() => ({})) } } }];
  const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: expressions } };
  const versions = { webhooks: [{ name: 'a.b.c', admissionReviewVersions: names }] };
  test.each<[string, string, object]>([
    ['v1', 'Pod', { spec: { containers: [], volumes } }],
    ['v1', 'Pod', { spec: { containers: [], affinity } }],
    ['v1', 'ResourceQuota', { spec: { scopes: names } }],
    ['apps/v1', 'StatefulSet', { spec: { template, volumeClaimTemplates: claims } }],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', versions],
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', versions],
  ])('%s %s', (apiVersion, kind, fields) => {
    const created = object(apiVersion, kind, fields);
    const computedMs = processTimer();
    rulesFor(apiVersion, kind).validate?.(created);
    expect(computedMs()).toBeLessThan(LIMIT_MS);
  });
});

test('amounts of resources are written out for refusals only', () => {
  const amounts = Object.fromEntries(names.slice(0, 5_000).map((name) => [`example.com/${name}`, '9E']));
  const containers = [{ name: 'a', image: 'b', resources: { limits: amounts, requests: amounts } }];
  const pod = object('v1', 'Pod', { spec: { containers } });
  const written = vi.spyOn(Quantity.prototype, 'toString');
  expect(rulesFor('v1', 'Pod').validate?.(pod)).toEqual([]);
  expect(written).not.toHaveBeenCalled();
  written.mockRestore();
});

describe('a long text in a new object is not read', () => {
  const jobTemplate = { spec: { template: { spec: { containers: [] } } } };
  const schedule = (text: string) => object('batch/v1', 'CronJob', { spec: { schedule: text, jobTemplate } });
  const problemsOf = (kind: string, created: KubernetesObject) =>
    (rulesFor('batch/v1', kind).validate?.(created) ?? []).map(describeFieldError);

  test.each([
    ['of many minutes', `${'1,'.repeat(1_450_000)}1 * * * *`],
    ['of one long number', `${'9'.repeat(2_900_000)} * * * *`],
    ['of many fields', '* '.repeat(1_450_000)],
  ])('a schedule %s', (_name, text) => {
    const created = schedule(text);
    const computedMs = processTimer();
    expect(problemsOf('CronJob', created)).toContain('spec.schedule: Too long: may not be more than 8192 bytes');
    expect(computedMs()).toBeLessThan(250);
  });

  test('indexes of a success policy', () => {
    const succeededIndexes = numbers.join(',').slice(0, 140_000);
    const rules = Array.from({ length: 20 }, () => ({ succeededIndexes }));
    const spec = { completions: 1_000_000, parallelism: 1, completionMode: 'Indexed', successPolicy: { rules } };
    const created = object('batch/v1', 'Job', { spec: { ...spec, ...jobTemplate.spec } });
    const of = problemsOf('Job', created).filter((problem) => problem.startsWith('spec.successPolicy'));
    expect(of).toEqual(
      rules.map(
        (_, i) => `spec.successPolicy.rules[${i}].succeededIndexes: Too long: may not be more than 65536 bytes`,
      ),
    );
  });
});

describe('an object whose long list changes is judged in time', () => {
  const ingress = (from: object[]) => ({ spec: { podSelector: {}, ingress: [{ from }] } });
  const balanced = (list: string[]) => ({
    spec: { type: 'LoadBalancer', ports: [] },
    status: { loadBalancer: { ingress: list.map((ip) => ({ ip })) } },
  });
  const conditions = (list: string[]) => ({ status: { conditions: list.map((type) => ({ type, status: 'True' })) } });
  const ended = (list: string[]) => ({
    status: { containerStatuses: list.map((name) => ({ name, state: { terminated: { exitCode: 1 } } })) },
  });
  test.each<[string, string, string, (list: string[]) => object, string[]]>([
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      '',
      (list) => ingress(list.map((cidr) => ({ ipBlock: { cidr } }))),
      ranges,
    ],
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      '',
      (except) => ingress([{ ipBlock: { cidr: '10.0.0.0/8', except } }]),
      ranges,
    ],
    ['networking.k8s.io/v1', 'Ingress', 'status', balanced, addresses],
    ['v1', 'Service', '', (externalIPs) => ({ spec: { externalIPs } }), addresses],
    [
      'v1',
      'Service',
      '',
      (loadBalancerSourceRanges) => ({ spec: { type: 'LoadBalancer', loadBalancerSourceRanges } }),
      ranges,
    ],
    ['v1', 'Service', 'status', balanced, addresses],
    ['v1', 'Pod', 'status', (list) => ({ status: { podIPs: list.map((ip) => ({ ip })) } }), addresses],
    ['v1', 'Pod', 'status', conditions, names],
    ['v1', 'Pod', 'status', ended, names],
    ['certificates.k8s.io/v1', 'CertificateSigningRequest', 'approval', conditions, names],
    [
      'storage.k8s.io/v1',
      'CSINode',
      '',
      (list) => ({ spec: { drivers: list.map((name) => ({ name, nodeID: name })) } }),
      names,
    ],
  ])('%s %s %s', (apiVersion, kind, subresource, fieldsOf, list) => {
    const rules = rulesFor(apiVersion, kind);
    const part = subresource === '' ? rules : rules.subresources![subresource]!;
    const previous = object(apiVersion, kind, {});
    Object.assign(previous, object(apiVersion, kind, {}), withFields(previous, fieldsOf(list)));
    const next = { ...structuredClone(previous), ...withFields(previous, fieldsOf(list.toReversed())) };
    const computedMs = processTimer();
    part.prepareForUpdate?.(next, previous, { nowMs: 0, uuid: () => '' });
    part.validateUpdate?.(next, previous);
    expect(computedMs()).toBeLessThan(LIMIT_MS);
  });
});

/** The fields as they are stored, with what the object had beside them. */
function withFields(previous: KubernetesObject, fields: object): object {
  const before = previous as unknown as Record<string, object>;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { ...before[name], ...value }]));
}

/** Starts to measure, and gives a function that says for how many milliseconds the process has computed since. */
function processTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
