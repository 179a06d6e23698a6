import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SeededRandom, systemRandom } from '@pintle/async';
import { Namespace, Secret } from '@pintle/kinds/core/v1';
import { beforeAll, expect, test } from 'vitest';
import { History } from './history.ts';
import { Replica, type ReplicaOptions, SHARDS } from './replica.ts';
import { simulate } from './simulation.ts';
import { World } from './world.ts';

const SEEDS = 40;

// Modules that load with their first use would move messages between the turns of the first history.
beforeAll(async () => {
  await simulate(0);
});

const FIRST = systemRandom.below(1_000_000_000);

test(`${SEEDS} histories from seed ${FIRST}: one writer for each object, and none left alone`, async () => {
  const failed: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { problems } = await simulate(seed);
    if (problems.length > 0) failed.push(`npm run test:shards -- 1 ${seed}: ${problems[0]}`);
  }
  expect(failed).toEqual([]);
}, 600_000);

/** Histories that found a defect, by what went wrong then. */
test.each([
  [3, 'a process that heard no answers kept its slots, because its renewals arrived'],
  [5, 'a process that heard no answers kept its slots, because its renewals arrived'],
  [31, 'objects that changed while the lease had lapsed for a moment were not reconciled'],
  [39, 'objects that changed while the lease had lapsed for a moment were not reconciled'],
  [40, 'objects of slots that came back during a list were dropped from the cache'],
  [600_923, 'a process waited for the map, and renewed its lease when it had heard nothing for long'],
  [700_896, 'a process that was cut off for long looked for the leases of others after half a minute'],
  [701_430, 'a process whose slot stayed with it while it handed it over reconciled no object of it any more'],
  [902_760, 'two processes that took themselves for the leader undid the changes of each other without end'],
  [910_139, 'a process that read the map anew, and got an older one than it had seen, owned slots and did nothing'],
])(
  'history %i passes: %s',
  async (seed) => {
    expect((await simulate(seed)).problems).toEqual([]);
  },
  60_000,
);

test('the same seed runs the same history', async () => {
  const runs: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const lines: string[] = [];
    const result = await simulate(17, { log: (line) => lines.push(line) });
    runs.push([...lines, JSON.stringify(result)]);
  }
  expect(runs[0]).toEqual(runs[1]);
}, 60_000);

/** Each of these left about 2 MB in memory once, which ended long runs. */
test('histories leave nothing of their processes in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heldBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (let seed = 100; seed < 103; seed++) await simulate(seed);
  const before = heldBytes();
  for (let seed = 103; seed < 113; seed++) await simulate(seed);
  expect(heldBytes() - before).toBeLessThan(8_000_000);
}, 60_000);

function startReplica(world: World, name: string, options: Partial<ReplicaOptions> = {}): Replica {
  return new Replica({
    world,
    random: new SeededRandom(name),
    rate: 1,
    offsetMs: 0,
    delayed: 0,
    maxDelayMs: 1,
    slow: 0,
    maxWorkMs: 1,
    isFenced: true,
    onWarning: () => undefined,
    onPause: () => undefined,
    onEnd: () => undefined,
    ...options,
  });
}

test('on a server that ignores selectors, replicas filter what they receive, and say so once', async () => {
  for (const seed of [3, 5, 31]) expect((await simulate(seed, { isSelecting: false })).problems).toEqual([]);
  await using world = await World.open(1, { isSelecting: false });
  const { client, clock } = world;
  await client.create(Namespace, { metadata: { name: 'default' } });
  const history = new History(`${SHARDS}-shards`, world.noteActivity);
  history.start(client);
  for (let i = 0; i < 20; i++)
    await client.create(Secret, { metadata: { namespace: 'default', name: `object-${i}` }, data: { value: 'MQ==' } });
  const warnings: string[][] = [[], []];
  const replicas = warnings.map((list, i) =>
    startReplica(world, `replica-${i}`, {
      onWarning: (message) => message.startsWith('The server') && list.push(message),
    }),
  );
  await clock.advance(30_000);
  for (let i = 0; i < 20; i++) {
    const body = { data: { value: 'Mg==' } };
    await client.patch(Secret, { namespace: 'default', name: `object-${i}` }, { type: 'merge', body });
  }
  await clock.advance(2_000);
  expect([...history.values.values()]).toEqual(Array.from({ length: 20 }, () => 'Mg=='));
  expect(new Set(history.slots.map(({ owner }) => owner))).toEqual(new Set(replicas.map(({ identity }) => identity)));
  // One for each field: the uid of objects, and that of their controllers.
  const text = 'The server does not select shards; this process receives all objects and filters them';
  expect(warnings).toEqual([
    [text, text],
    [text, text],
  ]);
  for (const replica of replicas) replica.crash();
  await history.stop();
}, 60_000);

/** A process is paused after it has checked its clock and before its write leaves; another process takes over. */
async function pauseAtWrite(isFenced: boolean) {
  await using world = await World.open(1);
  const { client, clock } = world;
  await client.create(Namespace, { metadata: { name: 'default' } });
  const history = new History(`${SHARDS}-shards`, world.noteActivity);
  history.start(client);
  const object = { namespace: 'default', name: 'apple' };
  await client.create(Secret, { metadata: object, data: { value: 'MQ==' } });
  const start = (name: string) => startReplica(world, name, { isFenced });
  const first = start('first');
  await clock.advance(5_000);
  // Its machine is suspended: its own clock stands still, and tells it that its lease is valid when it wakes up.
  first.pauseAtWrite('machine');
  await client.patch(Secret, object, { type: 'merge', body: { data: { value: 'Mg==' } } });
  await clock.advance(1_000);
  expect(first.isPaused).toBe(true);
  const second = start('second');
  await clock.advance(30_000);
  expect(new Set(history.slots.map(({ owner }) => owner))).toEqual(new Set([second.identity]));
  expect(history.doubleWrites).toEqual([]);
  first.resume();
  await clock.advance(1_000);
  const { refusedWrites } = first;
  for (const replica of [first, second]) replica.crash();
  await history.stop();
  return { refusedWrites, doubleWrites: history.doubleWrites.length };
}

test('the server refuses the write of a process that was paused after it had checked its clock', async () => {
  expect(await pauseAtWrite(true)).toEqual({ refusedWrites: 1, doubleWrites: 0 });
});

test('without the fence, the same write takes effect beside those of the new owner', async () => {
  expect(await pauseAtWrite(false)).toEqual({ refusedWrites: 0, doubleWrites: 1 });
});
