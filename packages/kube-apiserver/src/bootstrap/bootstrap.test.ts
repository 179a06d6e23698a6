import { SteppedClock } from '@pintle/async';
import type { Lease } from '@pintle/kinds/coordination/v1';
import { loadRules } from '@pintle/kinds/rules';
import type { KubernetesObject } from '@pintle/machinery';
import { openMemoryStore, prefixRange } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../testing/test-api.ts';
import { openTestApi } from '../testing/test-api.ts';
import { flowControlSeeds } from './flow-control.ts';
import { serverEndpointSeeds } from './server-endpoints.ts';
import { serverLease } from './server-lease.ts';
import { systemSeeds } from './system-objects.ts';

const CIDR = '/apis/networking.k8s.io/v1/servicecidrs/kubernetes';

describe('A new server', () => {
  test.each<[string, number]>([
    ['/api/v1/namespaces', 4],
    ['/apis/scheduling.k8s.io/v1/priorityclasses', 2],
    ['/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', 11],
    ['/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations', 8],
    ['/apis/apiregistration.k8s.io/v1/apiservices', 21],
    ['/api/v1/namespaces/kube-system/configmaps', 2],
    ['/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', 1],
    ['/apis/networking.k8s.io/v1/ipaddresses', 1],
  ])('has %s, %i of them', async (path, count) => {
    await using api = await openTestApi();
    expect((await api.get(path)).body.items).toHaveLength(count);
  });

  test('has a service of its own at the first address of the range', async () => {
    await using api = await openTestApi({ bootstrap: { serviceCidr: '10.7.0.0/16', port: 7443 } });
    expect((await api.get('/api/v1/namespaces/default/services/kubernetes')).body.spec).toMatchObject({
      clusterIP: '10.7.0.1',
      ports: [{ port: 443, targetPort: 7443 }],
    });
    expect((await api.get('/apis/networking.k8s.io/v1/ipaddresses/10.7.0.1')).status).toBe(200);
  });

  test('tells those who extend it whose certificates to trust', async () => {
    await using api = await openTestApi({ bootstrap: { clientCa: 'PEM' } });
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    expect((await api.get(path)).body.data).toEqual({ 'client-ca-file': 'PEM' });
  });

  test('owns what it begins with, so that others can be told from it', async () => {
    await using api = await openTestApi();
    await api.merge('/api/v1/namespaces/default?fieldManager=me', { metadata: { labels: { mine: 'yes' } } });
    const { body } = await api.get('/api/v1/namespaces/default');
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {} } } } },
      { manager: 'me', fieldsV1: { 'f:metadata': { 'f:labels': { 'f:mine': {} } } } },
    ]);
    const fieldsOf = async (path: string): Promise<unknown> =>
      (await api.get(path)).body.metadata.managedFields?.map(({ manager, fieldsV1 }) => [manager, fieldsV1]);
    expect(await fieldsOf('/apis/rbac.authorization.k8s.io/v1/clusterroles/view')).toMatchObject([
      ['clusterrole-aggregation-controller', { 'f:rules': {} }],
      ['kube-apiserver', { 'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} } }],
    ]);
    expect(await fieldsOf('/api/v1/namespaces/default/services/kubernetes')).toMatchObject([
      ['kube-apiserver', { 'f:spec': { 'f:ports': { 'k:{"port":443,"protocol":"TCP"}': { 'f:targetPort': {} } } } }],
    ]);
  });

  test('gives each object a version of its own', async () => {
    await using api = await openTestApi();
    const { body } = await api.get('/apis/rbac.authorization.k8s.io/v1/clusterroles');
    const versions = (body.items as KubernetesObject[]).map(({ metadata }) => metadata.resourceVersion);
    expect(versions.length).toBeGreaterThan(50);
    expect(new Set(versions).size).toBe(versions.length);
  });
});

describe('A server that starts again', () => {
  test('leaves what is there as it is', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const first = await openTestApi({ store });
    await first.merge('/api/v1/namespaces/default', { metadata: { labels: { mine: 'yes' } } });
    const { revision } = store;
    const second = await openTestApi({ store, bootstrap: { serviceCidr: '10.9.0.0/16' } });
    const { records } = await store.range(prefixRange(''));
    expect(records.filter(({ modRevision }) => modRevision > revision).map(({ key }) => key)).toEqual([
      expect.stringContaining('leases/kube-system/apiserver-'),
    ]);
    expect((await second.get('/api/v1/namespaces/default')).body.metadata.labels).toMatchObject({ mine: 'yes' });
    expect((await second.get(CIDR)).body.spec).toEqual({ cidrs: ['10.0.0.0/24'] });
  });

  test('puts back what was taken away', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes';
    const first = await openTestApi({ store });
    await first.delete(path);
    expect((await first.get(path)).status).toBe(404);
    const second = await openTestApi({ store });
    expect((await second.get(path)).status).toBe(200);
  });

  test('leads its service to where it is now', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const at = (advertiseAddress: string) => openTestApi({ store, bootstrap: { advertiseAddress, port: 7443 } });
    const first = await at('192.0.2.1');
    expect((await first.get('/api/v1/namespaces/default/endpoints/kubernetes')).body).toMatchObject({
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 7443, protocol: 'TCP' }] }],
    });
    const second = await at('2001:db8::1');
    const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
    expect((await second.get(slice)).body).toMatchObject({
      metadata: { generation: 2, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true } }],
    });
  });
});

describe('A server’s lease', () => {
  const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const leaseOf = async (api: TestApi) => {
    const { metadata, spec } = ((await api.get(LEASES)).body.items as Lease[])[0]!;
    return { path: `${LEASES}/${metadata.name}`, uid: metadata.uid, ...spec };
  };
  const renewalOf = async (api: TestApi) => {
    await api.server.clock.advance(10_000);
    return await leaseOf(api);
  };

  test('is renewed every ten seconds', async () => {
    await using api = await openTestApi();
    const { renewTime, ...before } = await leaseOf(api);
    expect(renewTime).toBe('2026-01-02T03:04:05.000000Z');
    expect(await renewalOf(api)).toEqual({ ...before, renewTime: '2026-01-02T03:04:15.000000Z' });
  });

  test('is made anew when somebody took it away', async () => {
    await using api = await openTestApi();
    const { path, uid, holderIdentity } = await leaseOf(api);
    await api.delete(path);
    const again = await renewalOf(api);
    expect(again).toMatchObject({ path, holderIdentity, renewTime: '2026-01-02T03:04:15.000000Z' });
    expect(again.uid).not.toBe(uid);
  });

  test('goes to whoever starts on the same store', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const { holderIdentity } = await leaseOf(await openTestApi({ store }));
    const second = await leaseOf(await openTestApi({ store, seed: 2 }));
    expect(second.holderIdentity).not.toBe(holderIdentity);
  });
});

test('Seeds count changes exactly where the rules of their kinds do', async () => {
  const context = { nowMs: 0, uuid: () => 'u' };
  const system = { serviceCidrs: ['10.0.0.0/24'], serviceAddress: '10.0.0.1', port: 6443 };
  const seeds = [...systemSeeds(system, context), ...flowControlSeeds(context), serverLease('host', 6443, context)];
  seeds.push(...serverEndpointSeeds(['192.0.2.1'], 6443));
  for (const { gvr, object, hasGeneration } of seeds.flatMap((seed) => (seed.claim ? [seed, seed.claim] : [seed]))) {
    const rules = await loadRules({ group: gvr.group, kind: object.kind }, { hasStatus: false });
    expect([object.kind, hasGeneration]).toEqual([object.kind, rules.tracksGeneration ?? false]);
  }
});

describe('Roles that every server has', () => {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:discovery';
  const extra = { verbs: ['get'], nonResourceURLs: ['/extra'] };

  async function restartAfter(change: object): Promise<unknown> {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const first = await openTestApi({ store });
    await first.merge(path, change);
    const second = await openTestApi({ store });
    return (await second.get(path)).body.rules;
  }

  test('get back what they lost at the next start, and keep what they were given', async () => {
    expect(await restartAfter({ rules: [extra] })).toEqual(
      expect.arrayContaining([extra, { verbs: ['get'], nonResourceURLs: ['/api'] }]),
    );
  });

  test('stay as they are when somebody looks after them', async () => {
    const metadata = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } };
    expect(await restartAfter({ metadata, rules: [extra] })).toEqual([extra]);
  });

  test('have their subjects again', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const binding = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery';
    const first = await openTestApi({ store });
    await first.merge(binding, { subjects: null });
    const second = await openTestApi({ store });
    expect((await second.get(binding)).body.subjects).toHaveLength(1);
  });
});
