import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const place = mkdtempSync(join(ROOT, 'node_modules', '.docs-'));
afterAll(() => rmSync(place, { recursive: true }));

const FRUIT = `
import { conditions, defineResource, type Manager } from '@pintle/operator';
import { z } from 'zod';
export const Fruit = defineResource({
  group: 'food.example.com', version: 'v1', kind: 'Fruit',
  spec: z.object({ weight: z.int(), colour: z.string().optional() }),
  status: z.object({ ripe: z.boolean().optional(), conditions: conditions() }),
});
export type Fruit = typeof Fruit.Type;
export declare function addFruitController(manager: Manager): void;
`;

/** Names of the pages about one part of an operator. */
const OF_OPERATOR = {
  'fruit.ts': FRUIT,
  'given.ts': `
    import type { Client } from '@pintle/client';
    import type * as core from '@pintle/kinds/core/v1';
    import type * as operator from '@pintle/operator';
    import type * as testing from '@pintle/testing';
    import type * as vitest from 'vitest';
    import type * as fruits from './fruit.ts';
    declare global {
      const { Fruit, addFruitController: addFruitWebhooks }: typeof fruits;
      type Fruit = fruits.Fruit;
      type ReconcileContext<T extends fruits.Fruit> = operator.ReconcileContext<T>;
      const { ConfigMap }: typeof core;
      const { test, expect }: typeof vitest;
      const { startControlPlane }: typeof testing;
      const client: Client, manager: operator.Manager;
      const apple: { namespace: string; name: string };
    }`,
};

/** Files that the fragments of a page take for granted. `given.ts` declares names that are everywhere. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': { 'given.ts': 'declare global { const signal: AbortSignal; }' },
  'docs/first-operator.md': {
    'given.ts': `
      import type * as apps from '@pintle/kinds/apps/v1';
      import type * as core from '@pintle/kinds/core/v1';
      import type * as rbac from '@pintle/kinds/rbac/v1';
      import type { Manager } from '@pintle/operator';
      declare global {
        const manager: Manager;
        const { Deployment }: typeof apps;
        const { ConfigMap, Secret }: typeof core;
        const { ClusterRole }: typeof rbac;
      }`,
  },
  'docs/testing-an-operator.md': {
    'fruit.ts': FRUIT,
    'fruit-controller.ts': `export { addFruitController } from './fruit.ts';`,
    'given.ts': `
      import type * as core from '@pintle/kinds/core/v1';
      import type { ClusterRole } from '@pintle/kinds/rbac/v1';
      import type * as testing from '@pintle/testing';
      import type * as vitest from 'vitest';
      import type * as fruits from './fruit.ts';
      declare global {
        const { Fruit, addFruitController }: typeof fruits;
        const addOperator: typeof addFruitController;
        const { ConfigMap }: typeof core;
        const { test, expect, beforeAll }: typeof vitest;
        const { startControlPlane, stepped, loseAnswer, conflict, serverError }: typeof testing;
        type PlaneSnapshot = testing.PlaneSnapshot;
        const plane: testing.ControlPlane;
        const role: { readonly rules: readonly testing.PolicyRule[] };
        const apple: { namespace: string; name: string };
        const thousandFruits: fruits.Fruit[];
      }`,
  },
  'docs/webhooks.md': OF_OPERATOR,
  'docs/field-ownership.md': OF_OPERATOR,
  'docs/nothing-to-send.md': OF_OPERATOR,
  'docs/your-own-api-server.md': {
    'given.ts': `
      import type { ServedKind } from '@pintle/apiextensions/kinds';
      import type { ClusterTransport } from '@pintle/apiserver/delegation';
      declare global {
        const stations: ServedKind;
        function serve(cluster: ClusterTransport): Promise<void>;
      }`,
  },
  'packages/operator/README.md': {
    'fruit.ts': FRUIT,
    'given.ts': `
      import type { Client } from '@pintle/client';
      import type * as core from '@pintle/kinds/core/v1';
      import type { invalid as refusal } from '@pintle/machinery/errors';
      import { defineResource as define } from '@pintle/operator';
      import type * as operator from '@pintle/operator';
      import { z as zod } from 'zod';
      import type * as fruits from './fruit.ts';
      const bakery = define({
        group: 'food.example.com', version: 'v1', kind: 'Bakery',
        spec: zod.object({
          ovens: zod.int().default(1),
          open: zod.object({ from: zod.int(), to: zod.int() }),
          breads: zod.array(zod.object({ name: zod.string(), price: zod.number() })).optional(),
        }),
      });
      declare global {
        const { Fruit }: typeof fruits;
        type Fruit = fruits.Fruit;
        const { ConfigMap, Secret }: typeof core;
        const { Manager, defineResource }: typeof operator;
        type ReconcileContext<T extends fruits.Fruit> = operator.ReconcileContext<T>;
        const invalid: typeof refusal, z: typeof zod;
        const Certificate: typeof Secret, Bakery: typeof bakery, metadata: { namespace: string; name: string };
        const client: Client, signal: AbortSignal, manager: operator.Manager;
        const warehouse: { readonly isOpen: boolean };
        function sweepUp(options: { signal: AbortSignal }): Promise<void>;
        function answer(options: { signal: AbortSignal }): Promise<void>;
        function marketNews(options: { signal: AbortSignal }): AsyncIterable<string>;
        function takeOffTheMarket(fruit: Fruit): Promise<void>;
      }`,
  },
};

/** The pages that people read, from the root. */
function pages(): string[] {
  const list = (folder: string): string[] => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
  const docs = list('docs').filter((path) => path.endsWith('.md'));
  const readmes = [...list('packages'), ...list('examples')].map((folder) => `${folder}/README.md`);
  return ['README.md', ...docs, ...readmes.filter((path) => existsSync(join(ROOT, path)))];
}

/** The blocks of TypeScript of a page, by file: named after their line, or as `// src/a.ts` in their first line says. */
function blocksOf(page: string): Record<string, string> {
  const blocks = [...page.matchAll(/^```ts\b[^\n]*\n(.*?)^```$/gms)].map(({ 1: text = '', index }) => {
    const line = page.slice(0, index).split('\n').length + 1;
    return [/^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `line-${line}.ts`, `${text}\nexport {};\n`] as const;
  });
  return Object.fromEntries(blocks);
}

const COMPILER_OPTIONS = {
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  module: 'nodenext',
  allowImportingTsExtensions: true,
};

/** Returns the compiler's complaints about the files. */
async function compile(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, folder, path)), { recursive: true });
    writeFileSync(join(place, folder, path), text);
  }
  writeFileSync(join(place, folder, 'package.json'), '{ "type": "module" }');
  const config = { compilerOptions: COMPILER_OPTIONS, files: Object.keys(files) };
  writeFileSync(join(place, folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: join(place, folder) });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await once(child, 'close');
  return said;
}

/** Its blocks are code that `packages/testing/src/explore/docs.test.ts` runs. */
const RUN_ELSEWHERE = 'docs/exploring-faults.md';

const withBlocks = pages()
  .filter((page) => page !== RUN_ELSEWHERE)
  .map((page) => [page, blocksOf(readFileSync(join(ROOT, page), 'utf8'))] as const)
  .filter(([, blocks]) => Object.keys(blocks).length > 0);

test.each(withBlocks)('the TypeScript in %s compiles', async (page, blocks) => {
  expect(await compile(page.replaceAll('/', '_'), { ...GIVEN[page], ...blocks })).toBe('');
});

test('a mistake in a page is found', async () => {
  const blocks = blocksOf("# A page\n\n```ts\nconst a: number = 'b';\n```\n");
  expect(await compile('mistake', blocks)).toMatch(/^line-4\.ts\(1,7\): error TS2322/);
});
