import { ConfigMap } from '@pintle/kinds/core/v1';
import { defineResource, type Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { explore, fromSchema, reportHtml, reportJunit, reportText } from '../index.ts';
import { smallestOf, variationsOf } from './values.ts';

const Site = defineResource({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Site',
  spec: z.object({
    host: z.string().min(1),
    replicas: z.int().min(1).max(5).default(1),
    tier: z.enum(['small', 'large']).optional(),
    cache: z.boolean().optional(),
    pages: z.array(z.object({ path: z.string() })).optional(),
  }),
});

const schema = (Site.definition.spec.versions[0]!.schema!.openAPIV3Schema as { properties: { spec: object } })
  .properties.spec as Parameters<typeof smallestOf>[0];

test('values are small, valid, and differ in one field each', () => {
  expect(smallestOf(schema)).toEqual({ host: 'a' });
  const names = variationsOf(schema, { host: 'a' }).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['replicas: 5', 'tier: "large"', 'cache: true', 'cache: false', 'pages: 1 items']),
  );
});

function addSites({ isMended }: { readonly isMended: boolean }) {
  return (manager: Manager): void => {
    manager
      .controller(Site)
      .owns(ConfigMap)
      .reconcile(async ({ metadata: { name }, spec }, ctx) => {
        await ctx.apply(ConfigMap, { metadata: { name: `${name}-site` }, data: { host: spec.host } });
        // What is no longer wanted stays, unless everything that is not applied goes.
        if (spec.cache) await ctx.apply(ConfigMap, { metadata: { name: `${name}-cache` } });
        if (isMended) await ctx.prune();
      });
  };
}

const budget = { seconds: 200, plans: 60, findings: 1 };

test('states of a schema find what stays when a feature is switched off, and the mended operator is clean', async () => {
  const common = { crds: [Site], inputs: fromSchema(Site, { states: 5 }), budget };
  const report = await explore({ ...common, operator: addSites({ isMended: false }) });
  const { findings } = report;
  expect(findings.map(({ summary }) => summary)).toEqual([expect.stringContaining('configmaps default/first-cache')]);
  const step = /the user patches sites\.test\.pintle\.dev default\/first: spec\.cache: true → (?:removed|false)/;
  for (const text of [reportText(report), JSON.stringify(report.findings[0]!.story)]) expect(text).toMatch(step);
  for (const text of [reportHtml(report), reportJunit(report)]) expect(text).toMatch(step);
  expect(await explore({ ...common, operator: addSites({ isMended: true }) })).toHaveNoFindings();
}, 240_000);

test('the same seed walks through the same states', async () => {
  const run = async (seed: number) =>
    (
      await explore({
        crds: [Site],
        operator: addSites({ isMended: true }),
        inputs: fromSchema(Site),
        seed,
        budget: { plans: 0 },
      })
    ).trace;
  const [one, again, other] = [await run(1), await run(1), await run(2)];
  expect(one).toBe(again);
  expect(one).not.toBe(other);
}, 240_000);

test('fields of the first state are besides those that are required, and fixed ones stay', async () => {
  const seen = new Set<unknown>();
  const operator = (manager: Manager): void => {
    manager.controller(Site).reconcile(async ({ spec }) => void seen.add(spec.replicas));
  };
  const run = async (inputs: ReturnType<typeof fromSchema>): Promise<unknown[]> => {
    seen.clear();
    await explore({ crds: [Site], inputs, operator, budget: { plans: 1 } });
    return [...seen].sort();
  };
  expect(await run(fromSchema(Site, { spec: { replicas: 3 }, states: 20 }))).toEqual([1, 2, 3, 5]);
  expect(await run(fromSchema(Site, { spec: { replicas: 3 }, states: 20, fixed: ['replicas'] }))).toEqual([3]);
}, 60_000);

const Checked = defineResource({
  group: 'test.pintle.dev',
  version: 'v2',
  kind: 'Checked',
  spec: z.object({
    host: z.string().default('a'),
    check: z.object({ every: z.int().min(1).max(9).default(3), path: z.string().optional() }).optional(),
    labels: z.record(z.string(), z.string()).optional(),
    pages: z.array(z.object({ path: z.string() })).optional(),
  }),
});

test('a field that the schema does not have is refused, with those that it has', () => {
  const fields = 'Its fields: host, check, check.every, check.path, labels, pages';
  const refused = (field: string) =>
    `Cannot make inputs of Checked: spec.${field} of test.pintle.dev/v2 is not a field. ${fields}`;
  // @ts-expect-error
  expect(() => fromSchema(Checked, { fixed: ['nosuch'] })).toThrow(refused('nosuch'));
  // @ts-expect-error
  expect(() => fromSchema(Checked, { fixed: ['check.nosuch'] })).toThrow(refused('check.nosuch'));
  // @ts-expect-error
  expect(() => fromSchema(Checked, { fixed: ['pages.path'] })).toThrow(refused('pages.path'));
  // @ts-expect-error
  expect(() => fromSchema(Checked, { spec: { checkEverySeconds: 3_600 } })).toThrow(refused('checkEverySeconds'));
  // @ts-expect-error
  expect(() => fromSchema(Checked, { spec: { check: { each: 3 } } })).toThrow(refused('check.each'));
  // @ts-expect-error
  expect(fromSchema(Checked, { spec: { host: 3 } })).toBeDefined();
  expect(
    fromSchema(Checked, { spec: { labels: { a: 'b' } }, fixed: ['labels.a', 'check.every', 'check'] }),
  ).toBeDefined();
  // Its type tells nothing, and its definition is that of another kind.
  const { definition } = Checked;
  expect(() => fromSchema(ConfigMap, { definition, fixed: ['nosuch'] })).toThrow('spec.nosuch of v1 is not a field');
});

test('a fixed field keeps the object around it', async () => {
  const seen = new Set<unknown>();
  const operator = (manager: Manager): void => {
    manager.controller(Checked).reconcile(async ({ spec }) => void seen.add(spec.check?.every));
  };
  const run = async (inputs: ReturnType<typeof fromSchema>): Promise<unknown[]> => {
    seen.clear();
    await explore({ crds: [Checked], inputs, operator, budget: { plans: 1 } });
    return [...seen];
  };
  const spec = { check: { every: 5 } };
  expect(await run(fromSchema(Checked, { spec, states: 20 }))).toEqual(expect.arrayContaining([5, undefined]));
  expect(await run(fromSchema(Checked, { spec, states: 20, fixed: ['check.every'] }))).toEqual([5]);
  expect(await run(fromSchema(Checked, { states: 20, fixed: ['check.every'] }))).toEqual([undefined]);
}, 60_000);
