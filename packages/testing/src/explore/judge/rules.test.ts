import { ConfigMap } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists, isNotFound } from '@pintle/machinery/errors';
import { expect, test } from 'vitest';
import { Fruit, fruit, fruitDefinition } from '../../testing/fruit.ts';
import { type ExploreOptions, explore, type Finding, type PlannedFault } from '../index.ts';

const TIMEOUT_MS = 240_000;
const apple = { namespace: 'default', name: 'apple' };
const configMap = (name: string) => ({ namespace: 'default', name });

/** A fruit with one weight after the other. */
const weigh =
  (...weights: readonly number[]): NonNullable<ExploreOptions['scenario']> =>
  async ({ client, settle }) => {
    await client.create(Fruit, fruit('apple', weights[0]));
    await settle();
    for (const weight of weights.slice(1)) {
      await client.patch(Fruit, apple, { type: 'merge', body: { spec: { weight } } });
      await settle();
    }
  };

/** Returns the findings of a plan with these faults. */
async function findingsOf(
  operator: NonNullable<ExploreOptions['operator']>,
  faults: readonly PlannedFault[],
  options: Partial<ExploreOptions> = {},
): Promise<string[]> {
  const plan = { version: 1, seed: 1, scenario: {}, faults } as const;
  const common = { crds: [fruitDefinition], scenario: weigh(20, 30, 40), operator };
  const { findings } = await explore({ ...common, plan, ...options });
  return findings.map(textOf);
}

function textOf({ rule, summary }: Finding): string {
  return `${rule}: ${summary}`;
}

/** Keeps a ConfigMap for each of the last two weights. */
const addCapped: NonNullable<ExploreOptions['operator']> = (manager) => {
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async ({ metadata: { name, generation }, spec }, ctx) => {
      const data = { weight: `${spec.weight}` };
      await ctx.apply(ConfigMap, { metadata: { name: `${name}-${generation}` }, data });
      const all = await ctx.children(ConfigMap);
      for (const old of all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1)).slice(2))
        await ctx.client.delete(ConfigMap, old);
    });
};

test.each<PlannedFault>([
  { kind: 'absent', from: 0, until: 3 },
  { kind: 'absent', from: 1, until: 2 },
  { kind: 'absent', from: 0, until: 2 },
])(
  'a history with a cap holds less and older things where the operator did not run: %j',
  async (fault) => {
    expect(await findingsOf(addCapped, [fault])).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a history is numbered by what the operator saw',
  async () => {
    const absent: PlannedFault = { kind: 'absent', from: 0, until: 2 };
    expect(
      await findingsOf(
        (manager) => {
          manager
            .controller(Fruit)
            .owns(ConfigMap)
            .reconcile(async ({ spec }, ctx) => {
              const all = await ctx.children(ConfigMap);
              const weight = `${spec.weight}`;
              if (all.some(({ data }) => data?.weight === weight)) return;
              await ctx.apply(ConfigMap, { metadata: { name: `apple-${all.length + 1}` }, data: { weight } });
            });
        },
        [absent],
      ),
    ).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a number that counts what the operator saw is not compared where it did not run',
  async () => {
    const absent: PlannedFault = { kind: 'absent', from: 0, until: 2 };
    expect(
      await findingsOf(
        (manager) => {
          manager
            .controller(Fruit)
            .owns(ConfigMap)
            .reconcile(async ({ spec }, ctx) => {
              const found = await ctx.find(ConfigMap, 'scale');
              const weight = `${spec.weight}`;
              if (found?.data?.weight === weight) return;
              const turns = `turn-${Number(found?.data?.turns?.slice('turn-'.length) ?? 0) + 1}`;
              await ctx.apply(ConfigMap, { metadata: { name: 'scale' }, data: { weight, turns } });
            });
        },
        [absent],
      ),
    ).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'what others made stays when the operator never ran before its owner was gone',
  async () => {
    const scenario: ExploreOptions['scenario'] = async ({ client, settle }) => {
      await client.create(Fruit, fruit('apple'));
      await settle();
      await client.create(ConfigMap, { metadata: configMap('worm') });
      await settle();
      await client.delete(Fruit, apple);
      await settle();
    };
    const operator: ExploreOptions['operator'] = (manager) => {
      manager.controller(Fruit).reconcile(async (_fruit, ctx) => {
        await ctx.finalize('test.pintle.dev/worm', async () => {
          await ctx.live.delete(ConfigMap, configMap('worm')).catch(ignoring(isNotFound));
        });
      });
    };
    expect(await findingsOf(operator, [{ kind: 'absent', from: 0, until: 3 }], { scenario })).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a process that was paused deletes an object that was made meanwhile',
  async () => {
    const found = await findingsOf(
      (manager) => {
        manager.controller(Fruit).reconcile(async ({ spec }, { live }) => {
          const weight = `${spec.weight}`;
          const jam = await live.find(ConfigMap, configMap('jam'));
          if (jam?.data?.weight === weight) return;
          if (jam !== undefined) await live.delete(ConfigMap, configMap('jam')).catch(ignoring(isNotFound));
          await live
            .create(ConfigMap, { metadata: configMap('jam'), data: { weight } })
            .catch(ignoring(isAlreadyExists));
        });
      },
      [{ kind: 'paused', at: 'operator delete configmaps default/jam #1', until: 3 }],
      { manager: { leaderElection: { name: 'jam', namespace: 'default' } } },
    );
    expect(found).toEqual([
      'deleted-another-object: configmaps default/jam is deleted by name: it is not the object that the operator had seen',
    ]);
  },
  TIMEOUT_MS,
);

test(
  'an object whose reconcile is postponed is not reconciled meanwhile',
  async () => {
    const both = [apple, { ...apple, name: 'pear' }];
    const found = await findingsOf(
      (manager) => {
        manager
          .controller(Fruit)
          .watches(ConfigMap, ({ metadata: { name } }) => (name === 'news' ? both : []))
          .reconcile(async ({ metadata: { name } }, { live }) => {
            const news = await live.find(ConfigMap, configMap('news'));
            if (news === undefined) await live.create(ConfigMap, { metadata: configMap('news') });
            else
              await live
                .create(ConfigMap, { metadata: configMap('first'), data: { name } })
                .catch(ignoring(isAlreadyExists));
          });
      },
      [{ kind: 'put-off', reconcile: 'fruit default/apple', nth: 1 }],
      {
        scenario: async ({ client, settle }) => {
          for (const { name } of both) await client.create(Fruit, fruit(name));
          await settle();
        },
      },
    );
    expect(found).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'an operator that fails without end after another client deletes a child is not excused',
  async () => {
    const { findings } = await explore({
      crds: [fruitDefinition],
      scenario: weigh(20),
      budget: { seconds: 200, plans: 40, findings: 1 },
      operator: (manager) => {
        manager
          .controller(Fruit)
          .owns(ConfigMap)
          .reconcile(async ({ status }, ctx) => {
            if (status?.ripe && (await ctx.find(ConfigMap, 'jam')) === undefined) throw new Error('the jam is gone');
            await ctx.apply(ConfigMap, { metadata: { name: 'jam' } });
            ctx.status({ ripe: true });
          });
      },
    });
    expect(findings.map(({ rule, plan }) => [rule, plan.faults.map(({ kind }) => kind)])).toEqual([
      ['keeps-failing', ['deleted']],
    ]);
  },
  TIMEOUT_MS,
);

test(
  'a child that a later change of the spec brings back was not repaired',
  async () => {
    const { findings, notes } = await explore({
      crds: [fruitDefinition],
      scenario: weigh(20, 30, 40),
      budget: { seconds: 200, plans: 60 },
      operator: (manager) => {
        manager
          .controller(Fruit)
          .filter((change) => change.type !== 'updated' || change.object.spec.weight !== change.previous.spec.weight)
          .watches(ConfigMap, () => [])
          .reconcile(async ({ spec }, ctx) => {
            await ctx.apply(ConfigMap, { metadata: { name: 'jam' }, data: { weight: `${spec.weight}` } });
          });
      },
    });
    expect(findings.map(textOf)).toEqual([]);
    expect(notes).toContain('The operator does not repair configmaps that another client has deleted');
  },
  TIMEOUT_MS,
);

test(
  'a history that another client deletes does not come back, and a count begins anew',
  async () => {
    const { findings } = await explore({
      crds: [fruitDefinition],
      scenario: weigh(20, 30),
      budget: { seconds: 200, plans: 60 },
      operator: (manager) => {
        manager
          .controller(Fruit)
          .owns(ConfigMap)
          .reconcile(async ({ spec }, ctx) => {
            const weight = `${spec.weight}`;
            await ctx.apply(ConfigMap, { metadata: { name: `apple-${weight}` } });
            const found = await ctx.find(ConfigMap, 'scale');
            if (found?.data?.weight === weight) return;
            const turn = `${Number(found?.data?.turn ?? 0) + 1}`;
            await ctx.apply(ConfigMap, { metadata: { name: 'scale' }, data: { weight, turn } });
          });
      },
    });
    expect(findings.map(textOf)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a restart of the operator at rest changes nothing',
  async () => {
    const { findings } = await explore({
      crds: [fruitDefinition],
      scenario: weigh(20),
      budget: { plans: 0 },
      operator: (manager) => {
        const done = new Set<string>();
        manager.controller(Fruit).reconcile(async ({ metadata: { name } }, { live, clock }) => {
          if (done.has(name)) return;
          const data = { restartedAt: new Date(clock.now()).toISOString() };
          await live.apply(ConfigMap, { metadata: configMap('web'), data }, { fieldManager: 'web' });
          done.add(name);
        });
      },
    });
    expect(findings.map(textOf)).toEqual([
      'not-idempotent: A restart of the operator at rest changes configmaps default/web',
    ]);
    const [finding] = findings;
    expect(finding?.pattern).toContain('keeps in memory');
    expect(finding?.plan.faults).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a condition is not checked while the operator does not see what happens',
  async () => {
    const found = await findingsOf(
      (manager) => {
        manager
          .controller(Fruit)
          .owns(ConfigMap)
          .reconcile(async ({ spec }, ctx) => {
            await ctx.apply(ConfigMap, { metadata: { name: 'label' }, data: { weight: `${spec.weight}` } });
          });
      },
      [
        {
          kind: 'unseen',
          resource: 'fruits.test.pintle.dev',
          from: 'test patch fruits.test.pintle.dev default/apple #1',
          until: 'test patch fruits.test.pintle.dev default/apple #2',
        },
      ],
      {
        invariants: {
          'the label has the weight': async ({ client }) => {
            const weighed = await client.find(Fruit, apple);
            const label = await client.find(ConfigMap, configMap('label'));
            return weighed === undefined || label?.data?.weight === `${weighed.spec.weight}`;
          },
        },
      },
    );
    expect(found).toEqual([]);
  },
  TIMEOUT_MS,
);
