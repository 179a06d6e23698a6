import { realClock, SeededRandom } from '@pintle/async';
import { type Store, toRevision } from '@pintle/store';
import { runHistory } from '@pintle/store/testing';
import { describe, expect, test } from 'vitest';
import { openEtcdStore } from './etcd-store.ts';
import { etcdVersions, findEtcd } from './testing/etcd-binary.ts';
import { EtcdProcess } from './testing/etcd-process.ts';
import { type NetworkCondition, TcpProxy } from './testing/tcp-proxy.ts';

const seed = Number(process.env.PINTLE_SEED ?? Date.now() % 1_000_000);
const rounds = Number(process.env.PINTLE_ETCD_ROUNDS ?? 6);
const seconds = Number(process.env.PINTLE_ETCD_SECONDS ?? 2);

for (const version of etcdVersions) {
  const binary = findEtcd(version);

  describe.skipIf(binary === undefined)(`several stores on etcd ${version}`, () => {
    test.each([1, 3])(
      'are linearizable, and their watches true, on %i members with compaction every 100 ms',
      async (members) => {
        await using etcd = await EtcdProcess.start({ binary: binary!, members });
        const open = () => openEtcdStore({ endpoints: etcd.endpoints, prefix: '/h/', compactionIntervalMs: 0 });
        await using witness = await open();
        await using first = await open();
        await using second = await open();
        const during = async () => {
          for (let elapsed = 0; elapsed < seconds * 1000; elapsed += 100) {
            await realClock.sleep(100);
            // The witness tells what happened, so nothing goes that it has not seen.
            await second.compact(toRevision(Math.min(second.revision, witness.revision)));
          }
        };
        const run = await runHistory({ stores: [first, second], witness, seed, during });
        expect(run.problems, `seed ${seed}`).toEqual([]);
        expect(run.calls).toBeGreaterThan(seconds * 100);
        console.info(`etcd ${version}, ${members} members: ${JSON.stringify(run)}`);
      },
      120_000 + seconds * 2000,
    );

    test(
      `lose nothing and show nothing old in ${rounds} rounds of faults, and are back 5 s after each`,
      async () => {
        const random = new SeededRandom(seed);
        await using etcd = await EtcdProcess.start({ binary: binary!, members: 3 });
        await using proxies = await Proxies.start(etcd, 2);
        const open = (endpoints: readonly string[]) =>
          openEtcdStore({ endpoints, prefix: '/f/', compactionIntervalMs: 0 });
        await using witness = await open(etcd.endpoints);
        await using first = await open(proxies.endpoints(0));
        await using second = await open(proxies.endpoints(1));
        const stores = [first, second];
        const recoveries: number[] = [];
        const during = async () => {
          for (let round = 0; round < rounds; round++) {
            const fault = FAULTS[(round + seed) % FAULTS.length]!;
            await fault(etcd, proxies, random);
            recoveries.push(...(await Promise.all(stores.map(recoveryMs))));
          }
        };
        const run = await runHistory({ stores, witness, seed, during, clientsPerStore: 2 });
        console.info(
          `etcd ${version}, ${rounds} rounds: ${JSON.stringify(run)}, worst recovery ${Math.max(...recoveries)} ms`,
        );
        expect(run.problems, `seed ${seed}`).toEqual([]);
        expect(Math.max(...recoveries)).toBeLessThan(5_000);
      },
      120_000 + rounds * 20_000,
    );
  });
}

type Fault = (etcd: EtcdProcess, proxies: Proxies, random: SeededRandom) => Promise<void>;

const inWeather =
  (condition: (random: SeededRandom) => NetworkCondition, forMs: number): Fault =>
  async (_etcd, proxies, random) => {
    const chosen = proxies.choose(random);
    for (const proxy of chosen) proxy.set(condition(random));
    await realClock.sleep(random.below(forMs) + 500);
    for (const proxy of chosen) proxy.set({ type: 'clear' });
  };

const FAULTS: readonly Fault[] = [
  inWeather(() => ({ type: 'black hole' }), 7_000),
  async (etcd, _proxies, random) => {
    const leader = await etcd.leader();
    await etcd.kill(leader);
    await realClock.sleep(random.below(1_000));
    etcd.startMember(leader);
    await etcd.ready(leader);
  },
  inWeather(() => ({ type: 'half open' }), 7_000),
  async (etcd, _proxies, random) => {
    const leader = await etcd.leader();
    etcd.signal(leader, 'SIGSTOP');
    await realClock.sleep(100 + random.below(4_900));
    etcd.signal(leader, 'SIGCONT');
  },
  inWeather((random) => ({ type: 'delay', delayMs: () => 25 + random.below(100) }), 2_000),
  async (_etcd, proxies, random) => {
    for (const proxy of proxies.choose(random)) proxy.cut();
  },
];

/** How long it takes until a store writes and reads again. */
async function recoveryMs(store: Store): Promise<number> {
  const startedMs = realClock.monotonic();
  for (;;) {
    try {
      const { revision } = await store.commit([]);
      if ((await store.latest()) >= revision) return realClock.monotonic() - startedMs;
    } catch {
      await realClock.sleep(10);
    }
  }
}

/** A way of its own from each store to each member. */
class Proxies implements AsyncDisposable {
  readonly #byStore: readonly (readonly TcpProxy[])[];

  static async start(etcd: EtcdProcess, stores: number): Promise<Proxies> {
    const byStore: TcpProxy[][] = [];
    for (let store = 0; store < stores; store++)
      byStore.push(await Promise.all(etcd.ports.map((port) => TcpProxy.start(port))));
    return new Proxies(byStore);
  }

  private constructor(byStore: readonly (readonly TcpProxy[])[]) {
    this.#byStore = byStore;
  }

  endpoints(store: number): string[] {
    return this.#byStore[store]!.map(({ endpoint }) => endpoint);
  }

  /** Those of one store to some members, or to all. */
  choose(random: SeededRandom): readonly TcpProxy[] {
    const ways = this.#byStore[random.below(this.#byStore.length)]!;
    return ways.slice(0, 1 + random.below(ways.length));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#byStore.flat().map((proxy) => proxy[Symbol.asyncDispose]()));
  }
}
