import { clusterServices } from '@pintle/apiserver/webhook';
import { expect, test } from 'vitest';
import { openTestApi } from '../../testing/test-api.ts';

const NS = '/api/v1/namespaces/default';
const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 8443 }],
  endpoints: [
    { addresses: ['10.1.0.1'], conditions: { ready: false } },
    { addresses: ['10.1.0.2'], conditions: { ready: true } },
  ],
};

test('services are found where their objects say', async () => {
  await using api = await openTestApi();
  const resolve = clusterServices(api.server.store);
  const ports = [{ name: 'https', port: 443 }];
  await api.post(`${NS}/services`, service('web', { ports }));
  await api.post(`${NS}/services`, service('lone', { clusterIP: 'None', ports }));
  await api.post(`${NS}/services`, service('out', { type: 'ExternalName', externalName: 'example.com' }));
  const find = (name: string, port = 443) => resolve({ namespace: 'default', name, port });

  expect(await find('out', 99)).toEqual({ host: 'example.com', port: 99 });
  expect(await find('web')).toEqual({ host: expect.stringMatching(/^10\./), port: 443 });
  await api.post('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice);
  expect(await find('web')).toEqual({ host: '10.1.0.2', port: 8443 });
  await expect(find('lone')).rejects.toThrow('no endpoints available for service "lone"');
  await expect(find('web', 1)).rejects.toThrow('no service port 1 found for service "web"');
  for (const name of ['none', 'a/b', '']) await expect(find(name)).rejects.toThrow(`service "${name}" not found`);
});

test('pods on simulated nodes are never asked', async () => {
  await using api = await openTestApi();
  const resolve = clusterServices(api.server.store);
  await api.post(`${NS}/services`, service('web', { ports: [{ name: 'https', port: 443 }] }));
  const annotations = { 'pintle.dev/simulated': 'true' };
  await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-0', annotations } });
  await api.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' } });
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const on = (name: string, nodeName: string, address: string) => ({
    ...slice,
    metadata: { ...slice.metadata, name },
    endpoints: [{ addresses: [address], nodeName }],
  });
  await api.post(slices, on('web-1', 'node-0', '10.64.0.2'));
  const find = () => resolve({ namespace: 'default', name: 'web', port: 443 });
  await expect(find()).rejects.toThrow('the pods behind service "web" are simulated and serve no requests');
  await api.post(slices, on('web-2', 'real', '10.1.0.2'));
  expect(await find()).toEqual({ host: '10.1.0.2', port: 8443 });
});
