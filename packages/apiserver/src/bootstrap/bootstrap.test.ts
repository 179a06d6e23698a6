import { SteppedClock } from '@pintle/async';
import { loadRules } from '@pintle/kinds/rules';
import { openMemoryStore } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { openTestApi } from '../testing/test-api.ts';
import { flowControlSeeds } from './flow-control.ts';
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

  test('writes all of it at once', async () => {
    await using api = await openTestApi();
    expect(api.server.store.revision).toBe(1);
  });
});

describe('A server that starts again', () => {
  test('leaves what is there as it is', async () => {
    await using store = await openMemoryStore({ clock: new SteppedClock() });
    const first = await openTestApi({ store });
    await first.merge('/api/v1/namespaces/default', { metadata: { labels: { mine: 'yes' } } });
    const { revision } = store;
    const second = await openTestApi({ store, bootstrap: { serviceCidr: '10.9.0.0/16' } });
    expect(store.revision).toBe(revision);
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
});

test('Seeds count changes exactly where the rules of their kinds do', async () => {
  const context = { nowMs: 0, uuid: () => 'u' };
  const system = { serviceCidr: '10.0.0.0/24', serviceAddress: '10.0.0.1', port: 6443 };
  const seeds = [...systemSeeds(system, context), ...flowControlSeeds(context), serverLease('host', 6443, context)];
  for (const { gvr, object, hasGeneration } of seeds.flatMap((seed) => (seed.claim ? [seed, seed.claim] : [seed]))) {
    const rules = await loadRules({ group: gvr.group, kind: object.kind }, { hasStatus: false });
    expect([object.kind, hasGeneration]).toEqual([object.kind, rules.tracksGeneration ?? false]);
  }
});
