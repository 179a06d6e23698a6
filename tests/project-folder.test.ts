import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pintle, scaffoldFruits } from './helpers/project.ts';

const TIMEOUT = { timeout: 60_000 };
const { parent, project } = await scaffoldFruits();
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('commands work in every folder of a project, and say so beside it', TIMEOUT, async () => {
  const inner = join(project, 'src', 'fruit');
  expect(await pintle(inner, 'edit')).toBe(await pintle(project, 'edit'));
  await pintle(inner, 'create api --group food --version v1 --kind Basket --no-controller');
  expect(readFileSync(join(project, 'pintle.json'), 'utf8')).toContain('Basket');
  await expect(pintle(parent, 'edit')).rejects.toThrow(/has no pintle\.json/);
});

test('without a cluster, a command says how to get one', TIMEOUT, async () => {
  const home = join(parent, 'home');
  mkdirSync(home);
  const { KUBECONFIG: _kubeconfig, ...env } = process.env;
  const line = 'migrate-storage fruits.food.example.com';
  await expect(pintle(project, line, { ...env, HOME: home })).rejects.toThrow(
    /no kubeconfig at \S+\/home\/\.kube\/config, .*\. Start a control plane with npx --no-install pintle dev, or pass --kubeconfig/,
  );
});
