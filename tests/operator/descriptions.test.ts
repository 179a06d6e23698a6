import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { defineResource, installResources, type Manager, readDescriptions } from '@pintle/operator';
import { startControlPlane } from '@pintle/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { z } from 'zod';

const parent = mkdtempSync(join(tmpdir(), 'pintle-descriptions-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const crate = (size: z.ZodType) =>
  defineResource({ group: 'goods.test', version: 'v1', kind: 'Crate', spec: z.object({ size, label: z.string() }) });
const Crate = crate(z.int());
const LABEL = {
  kind: 'Crate',
  versions: { v1: { properties: { spec: { properties: { label: { description: 'Stands on its lid.' } } } } } },
};

async function fields(client: Manager['client']['live']) {
  const { spec } = await client.get(CustomResourceDefinition, { name: 'crates.goods.test' });
  return spec.versions[0]!.schema!.openAPIV3Schema!.properties!.spec!.properties!;
}

test('descriptions that were installed stay when code that does not know them installs its definition', async () => {
  await using plane = await startControlPlane();
  await installResources(plane.client, [Crate], { descriptions: [LABEL] });
  expect((await fields(plane.client)).label).toEqual({ type: 'string', description: 'Stands on its lid.' });
  await installResources(plane.client, [crate(z.int().min(1))]);
  expect(await fields(plane.client)).toEqual({
    size: { type: 'integer', minimum: 1 },
    label: { type: 'string', description: 'Stands on its lid.' },
  });
});

test('descriptions that are given are in the place of those that were installed', async () => {
  await using plane = await startControlPlane();
  await installResources(plane.client, [Crate], { descriptions: [LABEL] });
  await installResources(plane.client, [Crate], { descriptions: [] });
  expect((await fields(plane.client)).label).toEqual({ type: 'string' });
});

/** Returns the log of an operator's start with this setting for definitions. */
async function started(
  plane: Awaited<ReturnType<typeof startControlPlane>>,
  resource: typeof Crate,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const manager = plane.manager({ log: { info: say, warn: say, error: say } });
  manager.controller(resource).reconcile(async () => undefined);
  const kill = new AbortController();
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const running = manager.run({ kill: kill.signal }).catch((reason: unknown) => reason);
    await plane.eventually(() => lines.includes('Started'));
    kill.abort('over');
    expect(await running).toBe('over');
  } finally {
    vi.unstubAllEnvs();
  }
  return lines;
}

test('an operator that only compares has nothing to say of descriptions', async () => {
  await using plane = await startControlPlane();
  await installResources(plane.client, [crate(z.int().describe('Its height.'))], { descriptions: [LABEL] });
  const compare = { PINTLE_DEFINITIONS: 'compare' };
  expect((await started(plane, crate(z.int().describe('Its width.')), compare)).join()).not.toContain('differ');
  expect((await started(plane, Crate, compare)).join()).not.toContain('differ');
  expect((await started(plane, crate(z.int().min(1)), compare)).join()).toContain('differ');
});

test('an operator that installs brings the descriptions of its file, and else leaves what is there', async () => {
  await using plane = await startControlPlane();
  const file = join(parent, 'descriptions.json');
  const install = { PINTLE_DEFINITIONS: 'install', PINTLE_DESCRIPTIONS: file };
  writeFileSync(file, JSON.stringify([LABEL]));
  expect(await started(plane, Crate, install)).toContain('Installed definitions');
  expect((await fields(plane.client)).label!.description).toBe('Stands on its lid.');
  expect(await started(plane, Crate, install)).not.toContain('Installed definitions');

  writeFileSync(file, JSON.stringify([LABEL]).replace('lid', 'side'));
  expect(await started(plane, Crate, install)).toContain('Installed definitions');
  expect((await fields(plane.client)).label!.description).toBe('Stands on its side.');

  await started(plane, crate(z.int().min(1)), { PINTLE_DEFINITIONS: 'install' });
  expect((await fields(plane.client)).label!.description).toBe('Stands on its side.');
});

test.each([
  ['no JSON', '[', 'cannot read'],
  ['something else', '[{"kind":"Crate"}]', 'is not a list of descriptions'],
])('a file with %s is refused', async (_what, text, message) => {
  const file = join(parent, 'bad.json');
  writeFileSync(file, text);
  await expect(readDescriptions(file)).rejects.toThrow(message);
});

test('a file that is not there holds nothing', async () => {
  expect(await readDescriptions(join(parent, 'absent.json'))).toBeUndefined();
});
