import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { stringifyYaml } from '@pintle/machinery/yaml';
import type { Manager } from '@pintle/operator';
import { afterAll, expect, test } from 'vitest';
import { stepped } from '../clock/plane-clock.ts';
import { Crate } from '../testing/crate.ts';
import { startOwnPlane } from '../testing/own-plane.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-manifests-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const crate = { namespace: 'default', name: 'crate' };
const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'crates' });
const subjects = [{ kind: 'ServiceAccount', name: 'crates', namespace: 'crates-system' }];
const own = { namespace: 'crates-system', name: 'crates' };

/** As `pintle generate manifests` writes it, with a Deployment and a ServiceMonitor that no test can use. */
function writeManifests(configMapVerbs: readonly string[], webhookVerbs: readonly string[] = ['get', 'patch']): void {
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: configMapVerbs },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    { apiGroups: ['shop.test'], resources: ['crates'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['shop.test'], resources: ['crates/finalizers'], verbs: ['update'] },
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'patch'] },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
      resourceNames: ['crates'],
      verbs: webhookVerbs,
    },
  ];
  const leases = [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update', 'watch'] },
  ];
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'crates-system' } },
    Crate.definition,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: own },
    { ...RBAC, kind: 'ClusterRole', metadata: { name: 'crates' }, rules },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata: { name: 'crates' }, roleRef: roleRef('ClusterRole'), subjects },
    { ...RBAC, kind: 'Role', metadata: own, rules: leases },
    { ...RBAC, kind: 'RoleBinding', metadata: own, roleRef: roleRef('Role'), subjects },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'crates' },
      webhooks: [
        {
          name: 'validate.v1.crates.shop.test',
          clientConfig: { service: { ...own, name: 'crates-webhooks', path: '/validate-shop-test-v1-crate' } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          rules: [{ apiGroups: ['shop.test'], apiVersions: ['v1'], resources: ['crates'], operations: ['CREATE'] }],
        },
      ],
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: own, spec: {} },
    { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: own, spec: {} },
  ];
  writeFileSync(join(folder, 'install.yaml'), objects.map((object) => stringifyYaml(object as never)).join('---\n'));
}

function addOperator(manager: Manager): void {
  manager.webhooks.for(Crate).validate({
    create: ({ spec }) => {
      if (spec.weight > 500) throw new Error('too heavy');
    },
  });
  manager
    .controller(Crate)
    .owns(ConfigMap)
    .reconcile(async ({ metadata }, ctx) => {
      await ctx.apply(ConfigMap, { metadata: { name: `${metadata.name}-label` } });
    });
}

test('an operator runs under the rights of its manifests', async () => {
  writeManifests(['create', 'patch', 'list', 'watch']);
  await using plane = await startOwnPlane({ clock: stepped() });
  await plane.deploy(addOperator, { manifests: folder });
  await plane.client.create(Crate.versions.v1beta1, { metadata: crate, spec: { heavy: true } });
  await plane.eventually(() => plane.client.get(ConfigMap, { namespace: 'default', name: 'crate-label' }));
  const heavy = plane.client.create(Crate, { metadata: { ...crate, name: 'heavy' }, spec: { weight: 501 } });
  await expect(heavy).rejects.toThrow('too heavy');
  plane.requests.assertAllowed({ actor: 'crates' });
});

test('a right that the role does not give is told', async () => {
  writeManifests(['patch', 'list', 'watch']);
  await using plane = await startOwnPlane({ clock: stepped() });
  await plane.deploy(addOperator, { manifests: folder });
  await plane.client.create(Crate, { metadata: crate, spec: { weight: 1 } });
  const label = { namespace: 'default', name: 'crate-label' };
  await expect(plane.eventually(() => plane.client.get(ConfigMap, label))).rejects.toThrow(/cannot create resource/);
  expect(() => plane.requests.assertAllowed({ actor: 'crates' })).toThrow(
    'Forbidden of actor crates:\n  patch configmaps crate-label in default',
  );
});

test('manifests that are not there are named, with the command that writes them', async () => {
  await using plane = await startOwnPlane({ clock: stepped() });
  await expect(plane.deploy(addOperator, { manifests: join(folder, 'none') })).rejects.toThrow(
    /Cannot read .*none: no such file; create it with pintle generate manifests/,
  );
});

test('manifests that do not let the operator start are told with the command that writes them', async () => {
  writeManifests(['create', 'list', 'patch', 'watch'], ['get']);
  await using plane = await startOwnPlane({ clock: stepped() });
  await expect(plane.deploy(addOperator, { manifests: folder })).rejects.toThrow(
    `Cannot deploy ${folder}: its roles do not let the operator start; run pintle generate manifests when the code has changed: `,
  );
});
