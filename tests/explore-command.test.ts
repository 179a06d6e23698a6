import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const MAIN = join(ROOT, 'packages', 'cli', 'dist', 'main.js');
const project = mkdtempSync(join(tmpdir(), 'pintle-explore-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  await pintle('init . --yes');
  await pintle('create api --group food --version v1 --kind Fruit');
}, 120_000);

async function pintle(
  command: string,
): Promise<{ readonly code: number; readonly output: string; readonly told: string }> {
  const env = { ...process.env, VITEST: '', NO_COLOR: '1' };
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...command.split(' ')], { cwd: project, env });
    return { code: 0, output: stdout, told: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, told: stderr };
  }
}

test('a new project has no findings, and pages and files tell so', async () => {
  const { code, output } = await pintle('explore --seconds 2 --report reports');
  expect([code, output]).toEqual([0, expect.stringContaining('src/fruit/fruit-controller.ts: No findings')]);
  const read = (file: string): string => readFileSync(join(project, 'reports', file), 'utf8');
  expect(read('fruit-controller.html')).toContain('no findings');
  expect(read('fruit-controller.junit.xml')).toContain('failures="0"');
  expect(JSON.parse(read('fruit-controller.json')).findings).toEqual([]);
}, 240_000);

test('a finding of an exploration of one’s own ends with 1, and its plan replays', async () => {
  writeFileSync(
    join(project, 'src', 'fruit', 'broken.explore.ts'),
    `import { ConfigMap } from '@pintle/kinds/core/v1';
import type { ExploreOptions } from '@pintle/testing/explore';
import { Fruit } from './fruit.ts';

/** Looks for the first of two children, and takes it for both. */
export default {
  crds: [Fruit],
  operator: (manager) => {
    manager.controller(Fruit).owns(ConfigMap).reconcile(async (_fruit, ctx) => {
      if ((await ctx.find(ConfigMap, 'peel')) !== undefined) return;
      await ctx.apply(ConfigMap, { metadata: { name: 'peel' } });
      await ctx.apply(ConfigMap, { metadata: { name: 'stone' } });
    });
  },
  scenario: async ({ client, settle }) => {
    await client.create(Fruit, { metadata: { namespace: 'default', name: 'apple' }, spec: {} });
    await settle();
  },
} satisfies ExploreOptions;
`,
  );
  const { code, output } = await pintle('explore src/fruit/broken.explore.ts --seconds 30 --output json');
  expect(code).toBe(1);
  const { explorations } = JSON.parse(output);
  expect(explorations[0].file).toBe('src/fruit/broken.explore.ts');
  writeFileSync(join(project, 'plan.json'), JSON.stringify(explorations[0].findings[0].plan));
  const replayed = await pintle('explore src/fruit/broken.explore.ts --plan plan.json');
  expect([replayed.code, replayed.output]).toEqual([1, expect.stringContaining('1 finding in 1 plan')]);
}, 240_000);

test('a controller that takes an outside service is told apart, with what to write', async () => {
  const path = join(project, 'src', 'fruit', 'fruit-controller.ts');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, before.replace('(manager: Manager)', '(manager: Manager, market: { offer(): Promise<void> })'));
  rmSync(join(project, 'src', 'fruit', 'broken.explore.ts'), { force: true });
  // As in a project whose program passes the service.
  const operator = join(project, 'src', 'operator.ts');
  const text = readFileSync(operator, 'utf8');
  writeFileSync(
    operator,
    text.replace('addFruitController(manager)', 'addFruitController(manager, { offer: async () => {} })'),
  );
  try {
    const { code, told } = await pintle('explore --seconds 2');
    expect([code, told]).toEqual([
      1,
      'pintle: Cannot explore src/fruit/fruit-controller.ts: addFruitController takes more than the manager. ' +
        'Write src/fruit/fruit-controller.explore.ts, whose operator passes the rest\n',
    ]);
  } finally {
    writeFileSync(path, before);
    writeFileSync(operator, text);
  }
}, 120_000);

test('what is no exploration is refused', async () => {
  const { code, told } = await pintle('explore src/operator.ts --seconds 300');
  expect([code, told]).toEqual([1, expect.stringContaining('the name of an exploration ends with .explore.ts')]);
}, 120_000);
