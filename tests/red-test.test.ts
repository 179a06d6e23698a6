import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'pintle-red-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** A suite as people write it, under vitest as it comes: a test may take 5 s. Loading a server is no part of the test. */
const SUITE = `
import { ConfigMap } from '@pintle/kinds/core/v1';
import { startControlPlane, stepped } from '@pintle/testing';
import { beforeAll, test } from 'vitest';

const ref = { namespace: 'default', name: 'apple' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { colour: 'green' } };

beforeAll(async () => {
  await using plane = await startControlPlane({ objects: [object], clock: stepped() });
  plane.operator((manager) => manager.controller(ConfigMap).reconcile(async () => undefined));
  await plane.untilIdle();
}, 120_000);

const expected = { data: { colour: 'red' } };

test('stepped clock', async () => {
  await using plane = await startControlPlane({ objects: [object], clock: stepped() });
  plane.operator((manager) => manager.controller(ConfigMap).reconcile(async () => undefined));
  await plane.untilMatches(ConfigMap, ref, expected);
});

test('stuck reconcile', async () => {
  await using plane = await startControlPlane({ objects: [object], clock: stepped() });
  plane.operator((manager) => manager.controller(ConfigMap).reconcile(() => new Promise(() => undefined)));
  await plane.untilMatches(ConfigMap, ref, expected);
});

test('failing reconcile', async () => {
  await using plane = await startControlPlane({ objects: [object], clock: stepped(), controllers: ['*'], nodes: 1 });
  plane.operator((manager) => manager.controller(ConfigMap).reconcile(async ({ metadata }) => lookUp(metadata.name)));
  await plane.untilMatches(ConfigMap, ref, expected); // the test's own line
});

function lookUp(name: string): void {
  if (name === ref.name) throw new TypeError('no such host');
}

test('machine clock', async () => {
  await using plane = await startControlPlane({ objects: [object] });
  await plane.untilMatches(ConfigMap, ref, expected);
});
`;
const CONFIG = `
// Our packages are linked here: as installed ones, they are loaded as they are.
export default { test: { server: { deps: { external: [/\\/packages\\/[a-z]+\\/dist\\//] } } } };
`;

let output = '';
beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'vitest.config.js'), CONFIG);
  writeFileSync(join(project, 'red.test.ts'), SUITE);
  const { PINTLE_TEST_PATIENCE: _patience, USE_EXISTING_CLUSTER: _existing, ...env } = process.env;
  const args = [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--no-color'];
  output = await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: project, env: { ...env, VITEST: '' } }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}, 180_000);

const LINE_OF_WAIT = new RegExp(`:${SUITE.split('\n').findIndex((line) => line.includes('own line')) + 1}$`);
const DIFFERENCE = 'ConfigMap apple is not as expected (-), but (+)\n  data.colour\n    - "red"\n    + "green"';

test.each([
  ['stepped clock', /It did not happen within \d+(\.\d)? s of the plane’s clock \(\d(\.\d)? s\)/],
  ['stuck reconcile', /It did not happen within \d+(\.\d)? s of the plane’s clock \(\d(\.\d)? s\)/],
  ['machine clock', /It did not happen within \d(\.\d)? s/],
])('a red test on a %s tells what differs before the runner ends it', (name, within) => {
  const [, told = output] = output.split(`> ${name}\n`);
  expect(told).toMatch(within);
  expect(told).toContain(DIFFERENCE);
});

test('a red test tells each complaint once, in one line, and shows the line of the test', () => {
  const [, told = output] = output.split('> failing reconcile\n');
  const [about = ''] = told.split('⎯⎯⎯⎯');
  expect(about.match(/Failed to reconcile.*apple.*no such host.*/g)).toEqual([
    expect.stringMatching(/\(red\.test\.ts:\d+\) \(\d+ times\)$/),
  ]);
  expect(about.match(/❯ .*red\.test\.ts:\d+/)?.[0]).toMatch(LINE_OF_WAIT);
  expect(about).toMatch(/\| +await plane\.untilMatches\(.*\n +\| +\^/);
  expect(about.match(/❯ /g)?.length).toBeLessThan(5);
});

test('a red test shows the requests of the operator before those of the control plane', () => {
  const [, told = output] = output.split('> failing reconcile\n');
  const [, requests = ''] = told.split('Last requests:\n');
  const lines = requests.split('\n').filter((line) => /^ +\d{5} /.test(line));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/Z (operator|test) /);
});
