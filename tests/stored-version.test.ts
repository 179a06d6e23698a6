import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { defineResource, installResources } from '@pintle/operator';
import { startControlPlane } from '@pintle/testing';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { findKubectl } from './helpers/kubectl.ts';
import { readSteps } from './helpers/page.ts';

const folder = mkdtempSync(join(tmpdir(), 'pintle-stored-version-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = { group: 'food.example.com', kind: 'Fruit' };
const v1 = { spec: z.object({ message: z.string() }) };
const v2 = { spec: z.object({ text: z.string() }) };
const Before = defineResource({
  ...names,
  versions: { v1, v2 },
  storage: 'v1',
  conversions: {
    v2: {
      toHub: ({ spec }) => ({ spec: { message: spec.text } }),
      fromHub: ({ spec }) => ({ spec: { text: spec.message } }),
    },
  },
});
/** As the page has it. */
const After = defineResource({
  ...names,
  versions: { v1, v2 },
  storage: 'v2',
  conversions: {
    v1: {
      toHub: ({ spec }) => ({ spec: { text: spec.message } }),
      fromHub: ({ spec }) => ({ spec: { message: spec.text } }),
    },
  },
});
const Unserved = defineResource({
  ...names,
  versions: { v1: { ...v1, served: false }, v2 },
  storage: 'v2',
  conversions: {
    v1: {
      toHub: ({ spec }) => ({ spec: { text: spec.message } }),
      fromHub: ({ spec }) => ({ spec: { message: spec.text } }),
    },
  },
});
const OnlyNew = defineResource({ ...names, version: 'v2', ...v2 });

const steps = readSteps('docs/moving-the-stored-version.md');
function commandIn(title: string): string {
  const found = steps.get(title)?.find(({ kind }) => kind === 'command');
  if (found === undefined) throw new Error(`Cannot find a command below ${title}`);
  return found.text;
}

test('the stored version moves by the steps of the page, and the old one can go', { timeout: 120_000 }, async () => {
  await using plane = await startControlPlane({ env: {}, crds: [Before], patience: '60s' });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, await plane.kubeconfig());
  const path = `${dirname(await findKubectl())}:${process.env.PATH}`;
  const sh = async (command: string): Promise<string> => {
    const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig };
    return (await promisify(execFile)('sh', ['-c', command], { env })).stdout;
  };
  const apple = { namespace: 'default', name: 'apple' };
  await plane.client.create(Before, { metadata: apple, spec: { message: 'red' } });
  const pear = { namespace: 'default', name: 'pear' };
  const applyPear = (version: string, spec: object) => {
    const object = { apiVersion: `food.example.com/${version}`, kind: 'Fruit', metadata: pear, spec };
    writeFileSync(join(folder, 'pear.json'), JSON.stringify(object));
    return sh(`kubectl apply -f ${join(folder, 'pear.json')}`);
  };
  await applyPear('v1', { message: 'green' });

  const first = plane.operator((manager) => manager.controller(Before).reconcile(async () => undefined));
  await plane.eventually(() => first.manager.webhooks.isReady);
  await first.stop();
  await installResources(plane.client, [After]);
  const second = plane.operator((manager) => manager.controller(After).reconcile(async () => undefined));
  await plane.eventually(() => second.manager.webhooks.isReady);
  expect(await sh(commandIn('Store the new version'))).toBe('["v1","v2"]');
  expect(await plane.client.get(After, apple)).toMatchObject({ spec: { text: 'red' } });
  const definition = () => plane.client.get(CustomResourceDefinition, { name: 'fruits.food.example.com' });
  await expect(installResources(plane.client, [OnlyNew])).rejects.toThrow(/storedVersions/);
  expect((await definition()).spec.conversion).toMatchObject({ strategy: 'Webhook' });

  const before = await Promise.all([apple, pear].map((ref) => plane.client.get(After, ref)));
  const answer = steps.get('Rewrite all objects')?.find(({ kind }) => kind === 'example')?.text;
  expect(await sh(commandIn('Rewrite all objects'))).toBe(answer);
  const after = await Promise.all([apple, pear].map((ref) => plane.client.get(After, ref)));
  for (const [index, { metadata, ...rest }] of after.entries()) {
    const { resourceVersion, ...others } = metadata;
    const { resourceVersion: earlier, ...same } = before[index]!.metadata;
    expect(resourceVersion).not.toBe(earlier);
    // Nothing else changes: not what kubectl applied last, nor who owns which field.
    expect({ ...rest, metadata: others }).toEqual({ ...before[index], metadata: same });
  }
  // A second time there is nothing to store.
  await sh(commandIn('Rewrite all objects'));
  expect((await plane.client.get(After, apple)).metadata.resourceVersion).toBe(after[0]!.metadata.resourceVersion);
  expect(await applyPear('v2', { text: 'yellow' })).toContain('pear configured');

  await sh(commandIn('Remove the old version from storedVersions'));
  await installResources(plane.client, [Unserved]);
  await expect(plane.client.get(Before, apple)).rejects.toMatchObject({ code: 404 });
  await second.stop();
  await installResources(plane.client, [OnlyNew]);
  const { spec, status } = await definition();
  expect(status?.storedVersions).toEqual(['v2']);
  expect(spec.conversion).toEqual({ strategy: 'None' });
  // Nobody converts any more: it is read as it is stored.
  expect(await plane.client.get(OnlyNew, apple)).toMatchObject({ spec: { text: 'red' } });
  expect(await plane.client.get(OnlyNew, pear)).toMatchObject({ spec: { text: 'yellow' } });
});
