import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@pintle/client';
import { ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failAfterEffect, startControlPlane, stepped } from '../index.ts';
import { Crate } from '../testing/crate.ts';
import { startOwnPlane } from '../testing/own-plane.ts';
import type { ControlPlane } from './control-plane.ts';

/** Somebody's cluster, which the planes of these tests run on. */
let cluster: ControlPlane;
let env: { readonly USE_EXISTING_CLUSTER: string; readonly KUBECONFIG: string };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pintle-cluster-'));
  cluster = await startOwnPlane();
  env = { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: join(folder, 'kubeconfig') };
  await writeFile(env.KUBECONFIG, await cluster.kubeconfig());
});

afterAll(async () => {
  await cluster.close();
  await rm(folder, { recursive: true });
});

const KINDS = [ConfigMap, Secret, CustomResourceDefinition, ValidatingWebhookConfiguration];

async function namesAt({ client }: { readonly client: Client }): Promise<string[]> {
  const lists = await Promise.all(KINDS.map((kind) => client.list<KubernetesObject>(kind)));
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? ''));
}

test('a cluster keeps nothing of what the answers did not tell, and all that was there', async () => {
  const keep = { namespace: 'default', name: 'keep' };
  await cluster.client.create(ConfigMap, { metadata: keep });
  const before = await namesAt(cluster);
  {
    await using plane = await startControlPlane({ env });
    const failing = { metadata: { namespace: 'default', name: 'done-all-the-same' } };
    plane.faults.inject({ verb: 'create' }, failAfterEffect());
    await expect(plane.client.create(ConfigMap, failing)).rejects.toThrow('all the same');
    await plane.client.create(ConfigMap, { metadata: { namespace: 'default', generateName: 'some-' } });
    await plane.client.apply(
      ConfigMap,
      { metadata: { namespace: 'default', name: 'applied' } },
      { fieldManager: 'me' },
    );
    await expect(plane.client.create(ConfigMap, { metadata: keep })).rejects.toThrow('already exists');
    plane.requests.clear();
    expect(await namesAt(cluster)).toHaveLength(before.length + 3);
  }
  expect(await namesAt(cluster)).toEqual(before);
});

test('an operator that converts and validates leaves nothing that would ask for it', async () => {
  const before = await namesAt(cluster);
  {
    await using plane = await startControlPlane({ env, crds: [Crate], clock: stepped() });
    const operator = plane.operator(({ webhooks }) => {
      webhooks.for(Crate).validate({ delete: () => Promise.reject(new Error('never')) });
    });
    await operator.manager.webhooks.started;
    const metadata = { namespace: 'default', name: 'a', finalizers: ['shop.test/held'] };
    await plane.eventually(() => plane.client.create(Crate.versions.v1beta1, { metadata, spec: { heavy: true } }));
  }
  expect(await namesAt(cluster)).toEqual(before);
});
