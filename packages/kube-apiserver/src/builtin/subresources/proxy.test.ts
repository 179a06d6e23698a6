import { describe, expect, test } from 'vitest';
import type { NodeConnector } from '../../nodes/node-connector.ts';
import { openTestServer, textOf } from '../../testing/open-test-server.ts';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';

/** A way to the node `near` on which no container runs. */
const connector: NodeConnector = {
  reaches: (node) => node === 'near',
  logs: () => Promise.reject(new Error('Cannot read the log: nothing runs')),
  exec: () => Promise.reject(new Error('Cannot run the command: nothing runs')),
  attach: () => Promise.reject(new Error('Cannot attach: nothing runs')),
};

async function openNodes() {
  const server = await openTestServer({ nodes: connector });
  const headers = { 'content-type': 'application/json' };
  for (const name of ['near', 'far']) {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
    await server.send('POST', NODES, { body: node, headers });
    const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] };
    const type = { 'content-type': 'application/merge-patch+json' };
    await server.send('PATCH', `${NODES}/${name}/status`, { body: { status }, headers: type });
    const spec = { nodeName: name, containers: [{ name: 'c', image: 'i' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `on-${name}` }, spec };
    await server.send('POST', PODS, { body: pod, headers });
  }
  const get = async (path: string) => {
    const response = await server.send('GET', path);
    return { status: response.status, headers: response.headers, text: await textOf(response) };
  };
  return { get, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('nodes/proxy', () => {
  test('answers what a kubelet knows without containers', async () => {
    await using api = await openNodes();
    for (const node of ['near', 'near:10250', 'https:near:10250']) {
      expect(await api.get(`${NODES}/${node}/proxy/healthz`)).toMatchObject({ status: 200, text: 'ok' });
      expect(await api.get(`${NODES}/${node}/proxy/logs/`)).toMatchObject({ status: 200 });
    }
    const pods = await api.get(`${NODES}/near/proxy/pods`);
    expect(JSON.parse(pods.text)).toMatchObject({ kind: 'PodList', items: [{ metadata: { name: 'on-near' } }] });
    expect(await api.get(`${NODES}/near/proxy/nothing`)).toMatchObject({ status: 404 });
  });

  test('does not reach other nodes and other ports', async () => {
    await using api = await openNodes();
    expect(await api.get(`${NODES}/far/proxy/healthz`)).toMatchObject({ status: 503 });
    expect(await api.get(`${NODES}/near:80/proxy/healthz`)).toMatchObject({ status: 503 });
    expect(await api.get(`${NODES}/none/proxy/healthz`)).toMatchObject({ status: 404 });
  });
});

test('a path that ends with proxy leads to the one with a slash behind it', async () => {
  await using api = await openNodes();
  expect(await api.get(`${NODES}/near/proxy?a=b`)).toMatchObject({
    status: 301,
    headers: { location: `${NODES}/near/proxy/?a=b` },
  });
  expect(await api.get(`${PODS}/on-near/proxy`)).toMatchObject({ status: 400 });
});
