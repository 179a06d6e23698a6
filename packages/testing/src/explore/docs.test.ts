import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { defineResource, type Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { explore, reportText } from './index.ts';

// The page shows what stands between the markers.
// begin operator
const Database = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  spec: z.object({ user: z.string() }),
});

function addDatabases(manager: Manager): void {
  manager
    .controller(Database)
    .owns(Secret)
    .owns(ConfigMap)
    .reconcile(async ({ metadata: { name }, spec }, ctx) => {
      if ((await ctx.find(Secret, `${name}-login`)) !== undefined) return; // it was set up before
      await ctx.apply(Secret, { metadata: { name: `${name}-login` }, stringData: { user: spec.user } });
      await ctx.apply(ConfigMap, { metadata: { name: `${name}-address` }, data: { host: `${name}.default.svc` } });
    });
}
// end operator

// begin scenario
const orders = { namespace: 'default', name: 'orders' };

const exploration = {
  crds: [Database],
  operator: addDatabases,
  controllers: ['garbage-collector-controller'],
  scenario: async ({ client, settle }) => {
    await client.create(Database, { metadata: orders, spec: { user: 'ann' } });
    await settle();
    await client.delete(Database, orders);
    await settle();
    await client.create(Database, { metadata: orders, spec: { user: 'bob' } });
    await settle();
  },
  budget: { seconds: 30, findings: 1 },
} satisfies Parameters<typeof explore>[0];
// end scenario

// begin mended
function addMendedDatabases(manager: Manager): void {
  manager
    .controller(Database)
    .owns(Secret)
    .owns(ConfigMap)
    .reconcile(async ({ metadata: { name }, spec }, ctx) => {
      await ctx.apply(Secret, { metadata: { name: `${name}-login` }, stringData: { user: spec.user } });
      await ctx.apply(ConfigMap, { metadata: { name: `${name}-address` }, data: { host: `${name}.default.svc` } });
    });
}
// end mended

test('the example of the page finds what the page says', async () => {
  const report = await explore(exploration);
  const page = await readFile(join(import.meta.dirname, '../../../../docs/exploring-faults.md'), 'utf8');
  // The digest changes with every request that the operator's libraries send otherwise.
  const text = reportText(report).replace(/"trace":"\w+"/, '"trace":"…"');
  for (const line of text.split('\n').slice(2)) expect(page).toContain(line.trimEnd());
  expect(report.findings.map(({ summary }) => summary)).toEqual([
    'configmaps default/orders-address is missing in the end',
  ]);
  const again = await explore({ ...exploration, plan: report.findings[0]!.plan });
  expect(again.findings.map(({ plan }) => plan)).toEqual(report.findings.map(({ plan }) => plan));
}, 240_000);

test('the mended example of the page is clean, also under the plan that broke the first', async () => {
  const { findings } = await explore(exploration);
  const mended = { ...exploration, operator: addMendedDatabases };
  expect(await explore({ ...mended, plan: findings[0]!.plan })).toHaveNoFindings();
  expect(await explore({ ...mended, budget: { seconds: 200, plans: 20 } })).toHaveNoFindings();
}, 240_000);

test('the page shows this code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/exploring-faults.md'), 'utf8');
  const own = await readFile(import.meta.filename, 'utf8');
  const parts = [...own.matchAll(/^\/\/ begin (\w+)\n([\s\S]*?)^\/\/ end \1$/gm)].map(([, , code]) => code);
  expect(parts).toHaveLength(3);
  for (const code of parts) expect(page).toContain(code!.trimEnd());
}, 240_000);
