import { SeededRandom } from '@pintle/async';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { parseShardMap } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { startControlPlane, stepped } from '../index.ts';
import { Fruit, fruit, fruitDefinition } from '../testing/fruit.ts';

/** PINTLE_SHARD_SEEDS runs more of them. */
const SEEDS = Number(process.env.PINTLE_SHARD_SEEDS ?? 1);
const FIRST = Number(process.env.PINTLE_SHARD_FIRST_SEED ?? 1);
const REPLICAS = ['a', 'b', 'c'];
const STEPS = 6;

/** Writes the epoch of the slot and the weight into a child. */
function addController(manager: Manager): void {
  manager
    .controller(Fruit)
    .owns(ConfigMap)
    .reconcile(async ({ metadata: { name }, spec }, ctx) => {
      const data = { epoch: `${ctx.shard!.epoch}`, slot: `${ctx.shard!.slot}`, weight: `${spec.weight}` };
      await ctx.apply(ConfigMap, { metadata: { name }, data });
    });
}

async function run(seed: number): Promise<void> {
  const random = new SeededRandom(seed);
  const names = Array.from({ length: 12 }, (_, i) => `fruit-${i}`);
  await using plane = await startControlPlane({
    crds: [fruitDefinition],
    objects: names.map((name) => fruit(name)),
    clock: stepped(),
    seed,
  });
  const { client, clock } = plane;
  const operators = REPLICAS.map((name) =>
    plane.operator(addController, { sharding: 'fruits', name, isRestarted: false }),
  );
  const epochs = new Map<string, number>();
  const check = async (): Promise<void> => {
    for (const { metadata, data } of (await client.list(ConfigMap, { namespace: 'default' })).items) {
      if (data?.epoch === undefined) continue;
      const epoch = Number(data.epoch);
      if (epoch < (epochs.get(metadata.name) ?? 0))
        expect.fail(`seed ${seed}: ${metadata.name} went back to epoch ${epoch}`);
      epochs.set(metadata.name, epoch);
    }
  };
  for (let step = 1; step <= STEPS; step++) {
    const operator = operators[random.below(operators.length)]!;
    const others = operators.filter((each) => each !== operator && each.isRunning);
    if (!operator.isRunning) operator.start();
    else if (others.length > 0 && random.below(2) === 0) operator.crash();
    for (const name of names)
      await client.patch(
        Fruit,
        { namespace: 'default', name },
        { type: 'merge', body: { spec: { weight: 100 + step } } },
      );
    for (let part = 0; part < 4; part++) {
      await clock.advance(random.below(3_000));
      await check();
    }
    // A lease of 15 s, and 5 s more.
    await clock.advance('20s');
    await check();
    const map = await client.get(ConfigMap, { namespace: 'default', name: 'fruits-shards' });
    const live = new Set(operators.filter(({ isRunning }) => isRunning).map(({ manager }) => manager.shards!.identity));
    const unowned = parseShardMap(map.data?.slots ?? '')!.filter(({ owner }) => !live.has(owner));
    expect(unowned, `seed ${seed}, step ${step}: slots without an owner`).toHaveLength(0);
    for (const { metadata, data } of (await client.list(ConfigMap, { namespace: 'default' })).items)
      if (data?.epoch !== undefined && data.weight !== `${100 + step}`)
        expect.fail(`seed ${seed}, step ${step}: ${metadata.name} was not reconciled`);
    expect(epochs.size).toBe(names.length);
  }
}

test(`${SEEDS} histories of replicas from seed ${FIRST}: no object is left alone, and no former owner writes`, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) await run(seed);
}, 600_000);
