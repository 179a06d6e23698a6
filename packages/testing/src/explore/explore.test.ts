import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Service } from '@pintle/kinds/core/v1';
import { conditions, defineResource } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addFruitController, Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';
import type { ExploreOptions, Scenario } from './index.ts';
import { assertNoFindings, explore, reportHtml, reportJunit, reportText } from './index.ts';
import { specimens } from './specimens/index.ts';

const apple = { namespace: 'default', name: 'apple' };
const budget = { seconds: 200, plans: 25 };
const options: ExploreOptions = {
  crds: [fruitDefinition],
  operator: addFruitController,
  scenario: async ({ client, settle }) => {
    await client.create(Fruit, fruit('apple', 20));
    await settle();
    await client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight: 120 } } });
    await settle();
  },
  budget,
};
const Jar = defineResource({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Jar',
  spec: z.object({}),
  status: z.object({ conditions: conditions() }),
});
const broken = specimens.find(({ family }) => family === 'I2')!.broken;

test('an operator that survives has no findings, and its coverage is told', async () => {
  const report = await explore(options);
  expect(report).toHaveNoFindings();
  expect([report.plans, report.coverage.writes]).toEqual([25, 4]);
  const kinds = ['crash', 'lost-answer', 'absent', 'past', 'unseen', 'hurry', 'conflict', 'late', 'deleted', 'edited'];
  expect(Object.keys(report.coverage.faults)).toEqual([...kinds, 'again', 'crash-before', 'refused']);
}, 240_000);

test('the same seed leads through the same runs', async () => {
  const { trace } = await explore({ ...options, budget: { plans: 0 } });
  expect((await explore({ ...options, budget: { plans: 0 } })).trace).toBe(trace);
  expect((await explore({ ...options, budget: { plans: 0 }, seed: 2 })).trace).not.toBe(trace);
}, 240_000);

test('a finding is a plan in JSON that replays byte for byte', async () => {
  const { findings } = await explore({ ...broken, budget: { ...budget, findings: 1 } });
  const plan = JSON.parse(JSON.stringify(findings[0]!.plan));
  expect(plan.faults).toEqual([{ kind: 'crash', after: 'operator create secrets default/db-key #1' }]);
  const replayed = await explore({ ...broken, plan });
  expect(replayed.findings.map((finding) => finding.plan)).toEqual([plan]);
}, 240_000);

test('a finding is told as a story, with its pattern and its cure', async () => {
  const report = await explore({ ...broken, budget: { ...budget, findings: 1 } });
  expect(() => assertNoFindings(report)).toThrow('configmaps default/db-certificate is missing in the end');
  expect(reportText(report)).toContain(
    [
      '     0:02 the user creates clusters.specimens.pintle.dev default/db',
      '     0:02 the operator creates secrets default/db-key, reconciling cluster default/db',
      '     0:02 ! the operator crashes and is started again',
      '          → configmaps default/db-certificate: it is missing; without faults: it is there',
    ].join('\n'),
  );
}, 240_000);

test('a report is written for people and for machines, and nothing in it is markup', async () => {
  const report = await explore({ ...broken, budget: { ...budget, findings: 1 } });
  const hostile = { ...report, findings: report.findings.map((each) => ({ ...each, summary: '<script>"&\u0000' })) };
  const [junit, html] = [reportJunit(hostile), reportHtml(hostile)];
  for (const text of [junit, html]) {
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<script|\0/);
  }
  expect(junit).toContain('tests="1" failures="1"');
  expect(reportJunit({ ...report, findings: [] })).toContain('tests="1" failures="0"');
  expect(html).not.toMatch(/(?:src|href)=/);
}, 240_000);

test('a process that is started while a watch is held up is not held up itself', async () => {
  const status = 'operator patch fruits.test.pintle.dev/status default/apple #1';
  const plan = {
    version: 1,
    seed: 1,
    scenario: {},
    faults: [
      { kind: 'late', resource: 'fruits.test.pintle.dev', from: status },
      { kind: 'crash-before', at: status },
    ],
  } as const;
  expect(await explore({ ...options, plan })).toHaveNoFindings();
}, 240_000);

test('children that an operator keeps as a history are not left behind', async () => {
  const report = await explore({
    ...options,
    operator: (manager) => {
      manager
        .controller(Fruit)
        .owns(ConfigMap)
        .reconcile(async ({ spec }, ctx) => {
          await ctx.apply(ConfigMap, { metadata: { name: `apple-of-${spec.weight}` } });
        });
    },
    plan: { version: 1, seed: 1, scenario: {}, faults: [{ kind: 'absent', from: 0, until: 2 }] },
  });
  expect(report).toHaveNoFindings();
}, 240_000);

test('differences that are meant are left out', async () => {
  const reason = 'the certificate is made by hand';
  const ignore = [{ object: 'configmaps */db-certificate', reason }];
  expect(await explore({ ...broken, budget: { plans: 4 }, ignore })).toHaveNoFindings();
}, 240_000);

test('an invariant that does not hold at some rest is a finding', async () => {
  const { findings } = await explore({
    ...options,
    budget: { plans: 1 },
    invariants: {
      'a fruit has at most one label': async ({ client }) =>
        (await client.list(ConfigMap, { namespace: 'default' })).items.length === 0,
    },
  });
  expect(findings.map(({ rule, subject }) => [rule, subject])).toEqual([
    ['invariant', 'a fruit has at most one label'],
  ]);
}, 240_000);

test('an operator that writes whenever it is asked is found without any fault', async () => {
  const { findings } = await explore({
    ...options,
    budget: { plans: 0 },
    operator: (manager) => {
      let writes = 0;
      manager.controller(Fruit).reconcile(async ({ metadata }, ctx) => {
        const annotations = { seen: `${++writes}` };
        if (ctx.reasons.some(({ cause }) => cause === 'external'))
          await ctx.client.patch(
            Fruit,
            { ...apple, name: metadata.name },
            { type: 'merge', body: { metadata: { annotations } } },
          );
      });
    },
  });
  expect(findings.map(({ rule, plan }) => [rule, plan.faults])).toEqual([['not-idempotent', []]]);
}, 240_000);

test('an operator whose reconcile always fails is found without any fault, with the place', async () => {
  const { findings } = await explore({
    ...options,
    budget: { plans: 0 },
    operator: (manager) => {
      manager.controller(Fruit).reconcile(async ({ spec }) => {
        (spec as unknown as { readonly theme: string }).theme.toUpperCase();
      });
    },
  });
  expect(findings.map(({ rule, subject, plan }) => [rule, subject, plan.faults])).toEqual([
    ['keeps-failing', 'fruit default/apple', []],
  ]);
  expect(findings[0]?.summary).toMatch(/reading 'toUpperCase'.*explore\.test\.ts:\d+/);
}, 240_000);

test('a call without await is found, although the retry hides it', async () => {
  const { findings } = await explore({
    ...options,
    budget: { plans: 0 },
    operator: (manager) => {
      manager
        .controller(Fruit)
        .owns(ConfigMap)
        .reconcile(async ({ metadata }, ctx) => {
          void ctx.apply(ConfigMap, { metadata: { name: `${metadata.name}-label` } });
        });
    },
  });
  expect(findings.map(({ rule, subject, plan }) => [rule, subject, plan.faults])).toEqual([
    ['not-awaited', 'fruit default/apple', []],
  ]);
  expect(findings[0]?.summary).toContain('it did not await ctx.apply of ConfigMap apple-label');
}, 240_000);

test('a scenario that fails because the operator does tells why', async () => {
  const failing = explore({
    ...options,
    budget: { plans: 0 },
    operator: (manager) => {
      manager.controller(Fruit).reconcile(async (_fruit, ctx) => {
        await ctx.finalize('test.pintle.dev/jar', async () => {
          throw new Error('the cellar is locked');
        });
      });
    },
    scenario: async ({ client, settle }) => {
      await client.create(Fruit, fruit('apple', 20));
      await settle();
      await client.delete(Fruit, apple);
      await settle();
      await client.create(Fruit, fruit('apple', 20));
    },
  });
  await expect(failing).rejects.toThrow(
    /^Cannot explore: the scenario fails without faults: .*already exists\nThe reconcile of fruit default\/apple fails: the cellar is locked \(.*explore\.test\.ts:\d+/,
  );
}, 240_000);

test('a condition that is missing is reported as missing', async () => {
  const { findings } = await explore({
    ...options,
    crds: [Jar],
    budget: { ...budget, findings: 1 },
    operator: (manager) => {
      manager
        .controller(Jar)
        .owns(ConfigMap)
        .reconcile(async (_jar, ctx) => {
          if ((await ctx.find(ConfigMap, 'lid')) !== undefined) return;
          await ctx.apply(ConfigMap, { metadata: { name: 'lid' } });
          ctx.condition({ type: 'Ready', status: 'True', reason: 'Closed' });
        });
    },
    scenario: async ({ client, settle }) => {
      await client.create(Jar, { metadata: apple, spec: {} });
      await settle();
    },
  });
  expect(findings.map(({ summary }) => summary)).toEqual([
    'jars.test.pintle.dev default/apple ends without status.conditions[Ready]',
  ]);
}, 240_000);

test('generated names and addresses are not compared', async () => {
  const labels = { app: 'apple' };
  const report = await explore({
    ...options,
    controllers: ['*'],
    nodes: 1,
    budget: { seconds: 200, plans: 6 },
    operator: (manager) => {
      manager
        .controller(Fruit)
        .owns(Deployment)
        .owns(Service)
        .reconcile(async ({ metadata: { name }, spec }, ctx) => {
          const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
          const replicas = spec.weight > 100 ? 2 : 1;
          await ctx.apply(Deployment, {
            metadata: { name },
            spec: { replicas, selector: { matchLabels: labels }, template },
          });
          await ctx.apply(Service, { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }] } });
        });
    },
  });
  expect(report).toHaveNoFindings();
}, 240_000);

test('a report names the faults that the budget left out', async () => {
  const text = reportText(await explore({ ...options, budget: { plans: 1 } }));
  expect(text).toMatch(/The budget ended before \d+ plans with one fault were run: .*lost-answer 4, .*crash 3/);
  expect(text).toMatch(/Never tried: lost-answer, absent, .*refused\. Raise budget\.seconds/);
}, 240_000);

test('the page draws each run as a timeline', async () => {
  const report = await explore({ ...broken, budget: { ...budget, findings: 1 } });
  const [withFaults, withoutFaults] = reportHtml(report).match(/<svg class="timeline".*?<\/svg>/g) ?? [];
  expect(withFaults).toContain('<title>0:02 the operator crashes and is started again</title>');
  expect(withFaults).not.toContain('configmaps default/db-certificate');
  expect(withoutFaults).toContain('configmaps default/db-certificate');
}, 240_000);

test('a scenario is cut to the steps that a finding needs', async () => {
  const { findings } = await explore({
    ...broken,
    budget: { ...budget, findings: 1 },
    scenario: async ({ client, settle, step }) => {
      const other = { namespace: 'default', name: 'other' };
      await step('look around', async () => void (await client.create(ConfigMap, { metadata: other })));
      await broken.scenario!({ client, settle, step } as Parameters<Scenario>[0]);
      await client.delete(ConfigMap, other).catch(() => undefined);
      await settle();
    },
  });
  expect(findings[0]?.plan.scenario).toEqual({ rests: 1, without: ['look around'] });
}, 240_000);
