import { Client } from '@pintle/client';
import { expect, test } from 'vitest';
import { apiMetricsSource } from './api-metrics-source.ts';

/** A source that is answered by path; what is not listed is not found. */
function sourceOf(answers: Readonly<Record<string, object>>) {
  const result: string[] = [];
  const send = async ({ path, query = '' }: { readonly path: string; readonly query?: string }) => {
    result.push(query === '' ? path : `${path}?${query}`);
    const body = answers[path] ?? { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'gone' };
    return { status: answers[path] ? 200 : 404, headers: {}, body: Buffer.from(JSON.stringify(body)) };
  };
  return { source: apiMetricsSource(new Client({ transport: { send, isProbed: true } })), result };
}

const CUSTOM = '/apis/custom.metrics.k8s.io';

test('a metric of pods is asked of the custom API, each pod having its value', async () => {
  const items = [
    { describedObject: { name: 'a' }, timestamp: '2026-01-01T00:00:00Z', windowSeconds: 30, value: '1500m' },
  ];
  const { source, result } = sourceOf({ [`${CUSTOM}/v1beta2/namespaces/x/pods/*/hits`]: { items } });
  const found = await source.pods({ namespace: 'x', selector: 'app=web', metric: 'hits', metricSelector: '' });
  expect([...found]).toEqual([['a', { milli: 1500, atMs: Date.UTC(2026, 0, 1), windowMs: 30_000 }]]);
  expect(result).toEqual([`${CUSTOM}/v1beta2/namespaces/x/pods/*/hits?labelSelector=app%3Dweb`]);
});

test('a metric from outside has all its series', async () => {
  const path = '/apis/external.metrics.k8s.io/v1beta1/namespaces/x/queue';
  const { source } = sourceOf({ [path]: { items: [{ value: '2' }, { value: '3' }] } });
  expect(await source.external({ namespace: 'x', metric: 'queue', metricSelector: 'a=b' })).toEqual([2000, 3000]);
});

test('an API that nobody serves is told apart from a metric that it does not have', async () => {
  const query = { namespace: 'x', selector: '', metric: 'hits', metricSelector: '' };
  await expect(sourceOf({}).source.pods(query)).rejects.toThrow(
    'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
  );
  await expect(sourceOf({ [CUSTOM]: {} }).source.pods(query)).rejects.toThrow(
    'custom metrics API: the server could not find the requested resource',
  );
});

test.each([
  ['another namespace', { apiVersion: 'v1', kind: 'Namespace', name: 'y' }, 'metrics'],
  ['another namespace, in a version that there is not', { apiVersion: 'v9', kind: 'Namespace', name: 'y' }, 'metrics'],
  ['an object of the cluster', { apiVersion: 'v1', kind: 'Node', name: 'a' }, 'nodes/a'],
])('a metric of %s is asked for in the autoscaler’s own namespace', async (_what, object, path) => {
  const node = { name: 'nodes', kind: 'Node', singularName: 'node', namespaced: false, verbs: ['list'] };
  const { source, result } = sourceOf({
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [node] },
  });
  const asked = source.object({ namespace: 'x', metric: 'hits', metricSelector: '', object });
  await expect(asked).rejects.toThrow('unable to fetch metrics');
  expect(result).toContain(`${CUSTOM}/v1beta2/namespaces/x/${path}/hits`);
});
