import { describe, expect, test } from 'vitest';
import { keyOf, pathOf, refusalOf } from './storage-paths.ts';
import { storedKinds } from './stored-kinds.ts';

/** Paths of Kubernetes 1.36 whose names are not simply those of the resources, and some that are. */
const PATHS: readonly (readonly [key: string, path: string])[] = [
  ['core/pods/default/web', 'pods/default/web'],
  ['core/services/default/web', 'services/specs/default/web'],
  ['core/endpoints/default/web', 'services/endpoints/default/web'],
  ['core/nodes/node-1', 'minions/node-1'],
  ['core/replicationcontrollers/default/web', 'controllers/default/web'],
  ['core/namespaces/default', 'namespaces/default'],
  ['core/events/default/web.1', 'events/default/web.1'],
  ['apps/deployments/default/web', 'deployments/default/web'],
  ['networking.k8s.io/ingresses/default/web', 'ingress/default/web'],
  ['networking.k8s.io/ingressclasses/web', 'ingressclasses/web'],
  ['networking.k8s.io/ipaddresses/10.0.0.1', 'ipaddresses/10.0.0.1'],
  ['autoscaling/horizontalpodautoscalers/default/web', 'horizontalpodautoscalers/default/web'],
  ['coordination.k8s.io/leases/kube-system/a', 'leases/kube-system/a'],
  ['rbac.authorization.k8s.io/clusterroles/system:node', 'clusterroles/system:node'],
  ['flowcontrol.apiserver.k8s.io/flowschemas/exempt', 'flowschemas/exempt'],
  ['apiregistration.k8s.io/apiservices/v1.apps', 'apiregistration.k8s.io/apiservices/v1.apps'],
  [
    'apiextensions.k8s.io/customresourcedefinitions/fruits.example.com',
    'apiextensions.k8s.io/customresourcedefinitions/fruits.example.com',
  ],
  ['example.com/fruits/default/apple', 'example.com/fruits/default/apple'],
  ['example.com/orchards/north', 'example.com/orchards/north'],
  ['rbac.authorization.k8s.io/clusterroles/a\x01\x01b', 'clusterroles/a\0b'],
  ['_pintle/migrating', '_pintle/migrating'],
  ['core/servicenodeportallocations/servicenodeports', 'ranges/servicenodeports'],
  ['core/apiServerIPInfo/10.0.0.1', 'masterleases/10.0.0.1'],
];

describe('Paths in etcd', () => {
  test.each(PATHS)('%j is at %j', (key, path) => {
    expect(pathOf(key)).toBe(path);
    expect(keyOf(path)).toBe(key);
  });

  test('are different for all built-in resources', () => {
    const paths = [...storedKinds.values()].map(({ name, scope }) =>
      pathOf(`${name}/${scope === 'Cluster' ? 'a' : 'a/b'}`),
    );
    expect(new Set(paths).size).toBe(storedKinds.size);
    expect(storedKinds.size).toBeGreaterThan(50);
  });

  test.each([
    'peerserverleases/a',
    'ranges/serviceips',
    'allocations/nodeports/30000',
    'leasecandidates/default/a',
    'pods/default',
    'pods/default/a/b',
    'pods//a',
    'namespaces/a/b',
    'services/other/default/a',
    'apps/deployments/default/web',
    'rbac.authorization.k8s.io/clusterroles/a',
    'example.com/fruits',
    'compact_rev_key',
  ])('%j is not one of an object that is served', (path) => {
    expect(keyOf(path)).toBeUndefined();
    expect(refusalOf(path)).toBeUndefined();
  });

  test('of the former format are refused', () => {
    expect(refusalOf('core/namespaces/default')).toContain('a former format of Pintle');
  });

  test('are not there for groups that Kubernetes cannot have', () => {
    expect(() => pathOf('fruits/apples/default/a')).toThrow('Kubernetes has no path for fruits/apples');
  });
});
