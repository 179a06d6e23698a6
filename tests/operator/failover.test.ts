import { deferred, onceAborted, SeededRandom, SteppedClock } from '@pintle/async';
import { Client, ClientError, type Transport } from '@pintle/client';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { Manager, type ManagerOptions, OperatorError } from '@pintle/operator';
import { describe, expect, test } from 'vitest';
import { openPlane, type Plane } from '../helpers/plane.ts';
import { LeaseServer } from './lease-server.ts';
import { Machine } from './machine.ts';

const LEASE_MS = 15_000;
const SEEDS = 1_000;

describe('a standby', () => {
  test.each([0, 300, 1_000, 1_999])('takes over within the lease of a leader killed after %i ms', async (afterMs) => {
    await using plane = await openPlane();
    const first = start(plane, 'first');
    await plane.eventually(async () => first.manager.isLeader);
    const second = start(plane, 'second');
    await plane.clock.advance(10_000 + afterMs);
    expect(second.manager.isLeader).toBe(false);
    const killedAt = plane.clock.monotonic();
    first.kill();
    await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'late' } });
    while (!second.reconciled.includes('late')) await plane.clock.advance(100);
    expect(plane.clock.monotonic() - killedAt).toBeLessThanOrEqual(LEASE_MS);
    await second.stop();
  });

  test('takes over at once from a leader that stops', async () => {
    await using plane = await openPlane();
    const first = start(plane, 'first');
    await plane.eventually(async () => first.manager.isLeader);
    const second = start(plane, 'second');
    await plane.clock.advance(10_000);
    const stoppedAt = plane.clock.monotonic();
    await first.stop();
    await plane.eventually(async () => second.manager.isLeader);
    expect(plane.clock.monotonic() - stoppedAt).toBeLessThanOrEqual(1_000);
    await second.stop();
  });

  test('has warm caches before it leads, and its controllers do nothing', async () => {
    await using plane = await openPlane();
    await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'early' } });
    const first = start(plane, 'first');
    await plane.eventually(async () => first.reconciled.includes('early'));
    const second = start(plane, 'second');
    await plane.eventually(async () => second.manager.informers.find(ConfigMap)?.isSynced);
    const early = { namespace: 'default', name: 'early' };
    expect(second.manager.informers.find(ConfigMap)?.cache.get(early)).toMatchObject({ metadata: early });
    expect(second.manager.controllers[0]?.queue.size).toBeGreaterThan(0);
    expect(second.reconciled).toEqual([]);
    await second.stop();
    await first.stop();
  });
});

test('a manager that loses its lease rejects at once, though its work has not ended', async () => {
  await using plane = await openPlane();
  const stuck = deferred();
  const first = start(plane, 'first', () => stuck.promise);
  await plane.eventually(async () => first.manager.isLeader);
  const lost = expect(first.running).rejects.toMatchObject({ failure: { code: 'LeaseLost' } });
  first.cut();
  await plane.clock.advance(LEASE_MS);
  await lost;
  stuck.resolve();
});

function start(plane: Plane, identity: string, work: () => Promise<void> = async () => undefined) {
  const reconciled: string[] = [];
  const line = { isCut: false, isDead: false };
  const send: Transport['send'] = async (request) => {
    if (line.isDead) return await new Promise(() => undefined);
    if (line.isCut) throw new Error('No way through');
    return await plane.client.transport.send(request);
  };
  const manager = new Manager({
    client: new Client({ transport: { send, isProbed: true }, clock: plane.clock }),
    clock: plane.clock,
    random: new SeededRandom(identity.length),
    leaderElection: { name: 'lock', identity },
  });
  manager.controller(ConfigMap).reconcile(async ({ metadata: { name = '' } }) => {
    if (line.isDead) return;
    reconciled.push(name);
    await work();
  });
  const stop = new AbortController();
  const running = manager.run({ signal: stop.signal });
  running.catch(() => undefined);
  return {
    manager,
    reconciled,
    running,
    /** Like kill -9: nothing it sends arrives any more, and nobody hears of it again. */
    kill: () => {
      line.isDead = true;
    },
    cut: () => {
      line.isCut = true;
    },
    stop: async () => {
      stop.abort();
      await running;
    },
  };
}

test(`two managers never both lead, with pauses, bad networks and clocks that run apart (${SEEDS} seeds)`, async () => {
  let terms = 0;
  for (let seed = 0; seed < SEEDS; seed++) terms += await simulate(seed);
  expect(terms).toBeGreaterThan(2 * SEEDS);
}, 120_000);

/** Most of a minute of two machines that compete; gives how often one of them began to lead. */
async function simulate(seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  const base = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const server = new LeaseServer();
  const stop = new AbortController();
  const managers = new Set<Manager>();
  let terms = 0;

  /** Every process that ends is started anew, as a cluster would. */
  async function keepRunning(identity: string, machine: Machine): Promise<void> {
    for (let life = 0; !stop.signal.aborted; life++) {
      const leaderElection = { name: 'lock', identity: `${identity}-${life}`, retryPeriodMs: 4_000 };
      const options = { leaderElection, graceMs: 2_000 };
      await runOnce(machine, options).catch((error: unknown) => {
        const code = error instanceof ClientError || error instanceof OperatorError ? error.failure.code : error;
        expect(['LeaseLost', 'GraceElapsed']).toContain(code);
      });
    }
  }

  async function runOnce(machine: Machine, options: ManagerOptions): Promise<void> {
    const client = machine.client((request) => server.handle(request), random);
    const manager = new Manager({ ...options, client, clock: machine.clock, random });
    managers.add(manager);
    const end = new AbortController();
    stop.signal.addEventListener('abort', () => end.abort());
    manager.add({
      run: async ({ signal }) => {
        terms++;
        const leaders = [...managers].filter(({ isLeader }) => isLeader);
        expect(leaders.length, `seed ${seed}, ${base.monotonic()} ms`).toBeLessThanOrEqual(1);
        if (random.next() < 0.5) await base.sleep(20_000 * random.next(), { signal }).catch(() => undefined);
        else await onceAborted(signal);
        end.abort();
      },
    });
    await manager.run({ signal: end.signal });
  }

  const machines = [0, 1].map(
    () => new Machine(base, { rate: 0.85 + 0.3 * random.next(), aheadMs: (random.next() - 0.5) * 1e9 }),
  );
  const running = machines.map((machine, index) => keepRunning(`machine-${index}`, machine));
  for (let at = 0; at < 50_000; at += 10_000) {
    await base.advance(10_000);
    if (random.next() < 0.4) machines[random.below(2)]!.pause(30_000 * random.next());
  }
  stop.abort();
  await base.advanceUntil(Promise.all(running));
  return terms;
}
