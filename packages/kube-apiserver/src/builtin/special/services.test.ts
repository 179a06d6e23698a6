import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

interface ServiceSpec {
  clusterIP?: string;
  clusterIPs?: string[];
  healthCheckNodePort?: number;
  ports: { port: number; nodePort?: number }[];
}

function service(name: string, spec: object = {}) {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

async function create(api: TestApi, name: string, spec: object = {}): Promise<ServiceSpec> {
  const { status, body } = await api.post(SERVICES, service(name, spec));
  expect([status, body.message]).toEqual([201, undefined]);
  return body.spec as ServiceSpec;
}

describe('The address of a service', () => {
  test('is chosen from the upper part of the range and kept as an object', async () => {
    await using api = await openTestApi();
    const { clusterIP = '', clusterIPs } = await create(api, 'a');
    expect(clusterIPs).toEqual([clusterIP]);
    expect(Number(clusterIP.split('.')[3])).toBeGreaterThan(16);
    expect((await api.get(`${ADDRESSES}/${clusterIP}`)).body).toMatchObject({
      metadata: { labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
    });
  });

  test('is the same for the same seed', async () => {
    const chosen = async () => {
      await using api = await openTestApi({ seed: 7 });
      return (await create(api, 'a')).clusterIP;
    };
    expect(await chosen()).toBe(await chosen());
  });

  test('belongs to one service at a time, and is free once that is gone', async () => {
    await using api = await openTestApi();
    await create(api, 'a', { clusterIP: '10.0.0.5' });
    expect(await api.post(SERVICES, service('b', { clusterIP: '10.0.0.5' }))).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.clusterIPs' }] } },
    });
    await api.delete(`${SERVICES}/a`);
    expect((await api.get(`${ADDRESSES}/10.0.0.5`)).status).toBe(404);
    expect((await create(api, 'b', { clusterIP: '10.0.0.5' })).clusterIP).toBe('10.0.0.5');
  });

  test.each(['10.9.9.9', '10.0.0.0', '10.0.0.255'])('%s is outside the range', async (clusterIP) => {
    await using api = await openTestApi();
    expect((await api.post(SERVICES, service('a', { clusterIP }))).status).toBe(422);
  });

  test('is looked for before anything else is looked at, so that its trouble is told alone', async () => {
    await using api = await openTestApi();
    const check = async (spec: object, field: string) =>
      expect((await api.post(SERVICES, service('Bad_', spec))).body.details).toMatchObject({ causes: [{ field }] });
    await check({ ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]');
    await check({ clusterIP: '10.9.9.9' }, 'spec.clusterIPs');
    await check({}, 'metadata.name');
  });

  test('is taken only once however many ask at the same time', async () => {
    await using api = await openTestApi();
    const names = Array.from({ length: 40 }, (_, index) => `s${index}`);
    const specs = await Promise.all(names.map((name) => create(api, name)));
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(names.length);
    const { body } = await api.get(ADDRESSES);
    expect(body.items).toHaveLength(names.length + 1);
  });

  test('runs out when the range is full, and the reserved part is used last', async () => {
    await using api = await openTestApi({ bootstrap: { serviceCidr: '10.1.0.0/28' } });
    const addresses: string[] = [];
    for (let index = 0; index < 13; index++) addresses.push((await create(api, `s${index}`)).clusterIP!);
    expect(new Set(addresses).size).toBe(13);
    expect((await api.post(SERVICES, service('one-too-many'))).status).toBe(500);
  });

  test('is given up by a service that becomes a name, and taken again by one that returns', async () => {
    await using api = await openTestApi();
    const { clusterIP } = await create(api, 'a');
    await api.merge(`${SERVICES}/a`, { spec: { type: 'ExternalName', externalName: 'db.example.com', ports: null } });
    expect((await api.get(`${ADDRESSES}/${clusterIP}`)).status).toBe(404);
    const back = { type: 'ClusterIP', externalName: null, ports: [{ port: 1 }] };
    const { body } = await api.merge(`${SERVICES}/a`, { spec: back });
    expect((body.spec as ServiceSpec).clusterIP).toMatch(/^10\.0\.0\./);
  });

  test('stays with its service when the range is gone', async () => {
    await using api = await openTestApi();
    await create(api, 'a', { clusterIP: '10.0.0.9' });
    await api.delete('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    const { status, body } = await api.merge(`${SERVICES}/a`, { metadata: { labels: { still: 'here' } } });
    expect([status, (body.spec as ServiceSpec).clusterIP]).toEqual([200, '10.0.0.9']);
    expect((await api.post(SERVICES, service('b', { clusterIP: '10.0.0.10' }))).status).toBe(422);
  });

  test('is not chosen for a headless service or in a dry run', async () => {
    await using api = await openTestApi();
    expect(await create(api, 'h', { clusterIP: 'None', selector: { a: 'b' } })).toMatchObject({ clusterIPs: ['None'] });
    await api.post(`${SERVICES}?dryRun=All`, service('d'));
    expect((await api.get(ADDRESSES)).body.items).toHaveLength(1);
  });

  test.each<[object, object, string]>([
    [{ clusterIP: 'None', selector: { a: 'b' } }, { clusterIP: '1.2.3.4' }, 'may not change once set'],
    [{}, { ipFamilies: ['IPv4', 'IPv6'] }, "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families"],
    [{ clusterIP: 'None' }, { ipFamilies: ['IPv6'] }, "must be 'SingleStack' to release the secondary IP family"],
  ])('of %j does not become %j, and one thing is wrong with that', async (spec, change, message) => {
    await using api = await openTestApi();
    await create(api, 'a', spec);
    const { body } = await api.merge(`${SERVICES}/a`, { spec: change });
    expect(body.message).toContain(message);
    expect((body.details as { causes: object[] }).causes).toHaveLength(1);
  });

  test('goes with a service whose last finalizer goes', async () => {
    await using api = await openTestApi();
    await create(api, 'a', { clusterIP: '10.0.0.9' });
    await api.merge(`${SERVICES}/a`, { metadata: { finalizers: ['example.com/hold'] } });
    await api.delete(`${SERVICES}/a`);
    expect((await api.get(`${ADDRESSES}/10.0.0.9`)).status).toBe(200);
    await api.merge(`${SERVICES}/a`, { metadata: { finalizers: null } });
    expect((await api.get(`${ADDRESSES}/10.0.0.9`)).status).toBe(404);
  });
});

describe('A node port', () => {
  test('is chosen above those left to people, one for both protocols of a port', async () => {
    await using api = await openTestApi();
    const ports = [
      { name: 'a', port: 53 },
      { name: 'b', port: 53, protocol: 'UDP' },
      { name: 'c', port: 80 },
    ];
    const spec = await create(api, 'a', { type: 'NodePort', ports });
    const [tcp, udp, web] = spec.ports.map(({ nodePort }) => nodePort!);
    expect(tcp).toBe(udp);
    expect(web).not.toBe(tcp);
    expect(Math.min(tcp!, web!)).toBeGreaterThanOrEqual(30_086);
  });

  test('belongs to one service at a time', async () => {
    await using api = await openTestApi();
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_081 }] };
    await create(api, 'a', spec);
    expect(await api.post(SERVICES, service('b', spec))).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.ports[0].nodePort' }] } },
    });
    await api.merge(`${SERVICES}/a`, { spec: { type: 'ClusterIP' } });
    await create(api, 'b', spec);
  });

  test('is not given twice to ports of different numbers', async () => {
    await using api = await openTestApi();
    const ports = [80, 81].map((port) => ({ name: `p${port}`, port, nodePort: 30_001 }));
    const told = { field: 'spec.ports[1].nodePort', message: expect.stringContaining('already allocated') };
    expect(await api.post(SERVICES, service('a', { type: 'NodePort', ports }))).toMatchObject({
      status: 422,
      body: { details: { causes: [told] } },
    });
    await create(api, 'a', { type: 'NodePort', ports: ports.slice(0, 1) });
    const changed = await api.merge(`${SERVICES}/a`, { spec: { ports } });
    expect(changed).toMatchObject({ status: 500, body: { message: 'duplicate nodePort: {TCP 30001}' } });
  });

  test('for health checks stays as long as it is asked for', async () => {
    await using api = await openTestApi();
    await create(api, 'a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 });
    const changed = await api.merge(`${SERVICES}/a`, { spec: { healthCheckNodePort: 30_002 } });
    expect(changed).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.healthCheckNodePort', message: 'Forbidden: field is immutable' }] } },
    });
  });

  test('is also there to ask whether a node has endpoints', async () => {
    await using api = await openTestApi();
    const spec = await create(api, 'a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_086);
    expect(spec.healthCheckNodePort).not.toBe(spec.ports[0]!.nodePort);
  });

  test('is not chosen for a load balancer that wants none', async () => {
    await using api = await openTestApi();
    const spec = await create(api, 'a', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
    expect(spec.ports[0]!.nodePort).toBeUndefined();
  });
});

describe('A dry run', () => {
  const dryRun = `${SERVICES}?dryRun=All`;

  test('shows a node port that nobody can have, and one after those that were asked for', async () => {
    await using api = await openTestApi();
    const portsOf = async (ports: object[]) =>
      ((await api.post(dryRun, service('a', { type: 'NodePort', ports }))).body.spec as ServiceSpec).ports.map(
        ({ nodePort }) => nodePort,
      );
    expect(await portsOf([{ port: 80 }])).toEqual([32_769]);
    expect(
      await portsOf([
        { name: 'a', port: 80, nodePort: 30_010 },
        { name: 'b', port: 81 },
      ]),
    ).toEqual([30_010, 30_011]);
  });

  test('asks whether a port is free, not whether it can be had', async () => {
    await using api = await openTestApi();
    const asking = (nodePort: number) =>
      api.post(dryRun, service('b', { type: 'NodePort', ports: [{ port: 80, nodePort }] }));
    expect((await asking(7)).status).toBe(201);
    await create(api, 'a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_010 }] });
    expect((await asking(30_010)).status).toBe(422);
  });
});
