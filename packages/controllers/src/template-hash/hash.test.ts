import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { dataHash, templateHash } from './hash.ts';

const template = (fields: object = {}): PodTemplateSpec => ({
  spec: { containers: [{ name: 'app', image: 'registry.example/app:1', ...fields }] },
});

test.each<[PodTemplateSpec, number | undefined, string]>([
  [{}, undefined, '85748b7f68'],
  [template(), undefined, 'fd5598685'],
  [template(), 0, '557598ddfc'],
  [template(), 1, '7d9fd97cb4'],
])('a template is named as Kubernetes names it: %o after %s collisions', (value, collisionCount, hash) => {
  expect(templateHash(value, collisionCount)).toBe(hash);
});

test('fields of every form are hashed as Go prints them', () => {
  const value = template({
    ports: [{ containerPort: 80, protocol: 'TCP' }],
    env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }],
    readinessProbe: { httpGet: { path: '/', port: 'http' } },
    livenessProbe: { tcpSocket: { port: 80 } },
    securityContext: {},
  });
  const labelled = { ...value, metadata: { labels: { b: 'é', a: '<&>' }, annotations: {} } };
  expect(templateHash(labelled, undefined)).toBe('6b8768dcd7');
});

test.each([
  ['0', '789f6456c9'],
  ['100m', '58cf764dcd'],
  ['1500', '75476db647'],
  ['128Mi', '56cddfdf48'],
  ['100Mi', '77fb9fdb57'],
  ['1000Ti', '546f5469fb'],
  ['-5Gi', '86c6f5fbf9'],
  ['12e6', 'b694d4df9'],
  ['1234567890123456789', '794b8dc78b'],
])('an amount of %s is hashed as Go keeps it', (cpu, hash) => {
  expect(templateHash(template({ resources: { limits: { cpu } } }), undefined)).toBe(hash);
});

test('what a revision keeps is named by its JSON, as Go writes it', () => {
  const container = {
    name: 'app',
    image: 'registry.example/app:1',
    env: [{ name: 'A', value: '<&>é' }],
    imagePullPolicy: 'IfNotPresent',
    livenessProbe: {
      httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
      failureThreshold: 3,
      periodSeconds: 10,
      successThreshold: 1,
      timeoutSeconds: 1,
    },
    ports: [{ containerPort: 80, protocol: 'TCP' }],
    resources: { limits: { cpu: '1500m', memory: '1000Ti' }, requests: { cpu: '100m' } },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
  const spec = {
    automountServiceAccountToken: false,
    containers: [container],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
  };
  const data = { spec: { template: { metadata: { labels: { app: 's2' } }, spec, $patch: 'replace' } } };
  expect(dataHash(data, 0)).toBe('6db88d59b8');
});
