import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@pintle/client';
import { startControlPlane } from '@pintle/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArguments } from './arguments.ts';
import { commands } from './commands.ts';

let plane: Awaited<ReturnType<typeof startControlPlane>>;
let client: Client;
beforeAll(async () => {
  plane = await startControlPlane({
    controllers: ['serviceaccount-controller', 'node-lifecycle-controller'],
    nodes: 1,
  });
  client = plane.client;
});
afterAll(() => plane[Symbol.asyncDispose]());

/** Runs a line, and gives what it printed. */
async function run(line: string): Promise<string> {
  let printed = '';
  const request = readArguments(line.split(' '));
  const print = (text: string | Uint8Array): void => {
    printed += typeof text === 'string' ? text : Buffer.from(text).toString();
  };
  const { signal } = new AbortController();
  await commands[request.command]!(request, { client, namespace: request.flags.namespace ?? 'default', print, signal });
  return printed;
}

test('objects are applied, shown, scaled, waited for and deleted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tiny-kubectl-'));
  const file = join(folder, 'web.yaml');
  await writeFile(
    file,
    `
apiVersion: v1
kind: ConfigMap
metadata: { name: fruit }
data: { apple: red }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: example.org/web }] }
`,
  );
  expect(await run(`apply -f ${file}`)).toBe('configmaps/fruit applied\ndeployments/web applied\n');
  await rm(folder, { recursive: true });

  expect(await run('get cm fruit -o yaml')).toContain('data:\n  apple: red\n');
  expect(await run('get deploy -l app=web -o name')).toBe('deployments/web\n');
  expect(await run('get deployments/web')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +/);
  expect(await run('get cm -A')).toMatch(/^NAMESPACE +NAME +DATA +AGE\n/);
  expect(await run('scale deploy web --replicas 3')).toBe('deployments/web scaled\n');
  expect(JSON.parse(await run('get deploy web -o json')).spec.replicas).toBe(3);
  expect(await run('delete cm fruit')).toBe('configmaps/fruit deleted\n');
  expect(await run('wait cm fruit --for delete')).toBe('configmaps/fruit condition met\n');
  await expect(run('get cm fruit')).rejects.toThrow('configmaps "fruit" not found');
});

test('the lines of the README do what they say', async () => {
  const folder = join(import.meta.dirname, '..');
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const lines = [...readme.matchAll(/^tk (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line);
  // What is printed of a pod that is not simulated is the cluster's.
  const here = lines.slice(0, lines.indexOf('logs web'));
  const printed: string[] = [];
  for (const line of here) printed.push(await run(line.replace('examples/tiny-kubectl', folder)));
  expect(here.map((line) => line.split(' ')[0])).toEqual(['api-resources', 'get', 'apply', 'get', 'scale', 'wait']);
  expect(printed[2]).toBe('deployments/web applied\npods/web applied\n');
  expect(printed[5]).toBe('pods/web condition met\n');
});

test('what there is can be asked for', async () => {
  expect(await run('api-resources')).toContain('deployments\tapps/v1\tNamespaced\tDeployment\n');
  expect(await run('whoami')).toMatch(/\S+\n/);
  await expect(run('get nonsense')).rejects.toThrow('"nonsense"');
});
