// Shares a load among replicas, each in its own process: `npm run bench -- shards`. A machine has fewer cores than replicas, so what
// counts is CPU time. Planes with different numbers of replicas run at the same time and are used in turns: the cost of a change
// depends on what else the machine does, and on how many changes a process receives at once.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, loadConfig } from '@pintle/client';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { parseShardMap } from '@pintle/machinery/selectors';

const root = join(import.meta.dirname, '..', '..');
const COUNTS = (process.env.PINTLE_BENCH_REPLICAS ?? '1,2,3,5').split(',').map(Number);
const OBJECTS = Number(process.env.PINTLE_BENCH_OBJECTS ?? 5_000);
const ROUNDS = Number(process.env.PINTLE_BENCH_ROUNDS ?? 8);
/** Every process compiles its code for itself: each gets as many changes as one alone. */
const WARMING = Number(process.env.PINTLE_BENCH_WARMING ?? 3_000);
/** Rate of the published comparison. */
const RATE = 200;
const SECONDS = 5;
/** Changes that each replica receives at a time when it is busy, and in a round. */
const AT_ONCE = 25;
const IN_ROUND = Number(process.env.PINTLE_BENCH_IN_ROUND ?? 1_000);
const CORE_MS = 1_000;
const MOVED_OBJECTS = Number(process.env.PINTLE_BENCH_MOVED_OBJECTS ?? 10_000);
const MOVING_RATE = Number(process.env.PINTLE_BENCH_MOVING_RATE ?? 150);
const STEADY_SECONDS = 20;
const namespace = 'default';
const SELECT = { namespace, labelSelector: 'bench=yes' };
const MAP = { namespace, name: 'bench-shards' };

export async function bench(print) {
  await compareCounts(print);
  await withPlane(MOVED_OBJECTS, (plane) => moveSlots(plane, print));
}

/** Compares numbers of replicas with one, and one with a replica that is not sharded. */
async function compareCounts(print) {
  const sizes = [{ count: 1, mode: 'unsharded' }, ...COUNTS.map((count) => ({ count, mode: 'sharded' }))];
  await withPlanes(sizes, async (planes) => {
    for (let round = 0; round < ROUNDS; round++) for (const plane of planes) await measureRound(plane);
    const [unsharded, one] = planes.map(summaryOf);
    for (const plane of planes.slice(1)) {
      const summary = summaryOf(plane);
      const capacity = summary.capacity / one.capacity;
      print(
        `${`${plane.count} replicas`.padEnd(12)}capacity × ${capacity.toFixed(2)} (${(capacity / plane.count).toFixed(2)} × n), ` +
          `at ${RATE} changes/s: CPU in all ${percent(summary.cpuMs / one.cpuMs)} (${summary.cpuMs.toFixed(0)} ms/s, ` +
          `idle ${summary.idleMs.toFixed(1)}), bytes of one ${percent(summary.mostBytes / one.mostBytes)} ` +
          `(1/n: ${percent(1 / plane.count)}), memory in all ${percent(summary.rssMb / one.rssMb)}, ` +
          `most objects of one ${percent(summary.mostObjects)}`,
      );
    }
    print(
      `one replica with sharding: CPU ${percent(one.cpuMs / unsharded.cpuMs, 1)} of one without at ${RATE} changes/s, ` +
        `${percent(unsharded.capacity / one.capacity, 1)} for a change when busy, idle ${one.idleMs.toFixed(2)} and ${unsharded.idleMs.toFixed(2)} ms/s`,
    );
  });
}

async function withPlanes([size, ...rest], work, planes = []) {
  if (size === undefined) return await work(planes);
  await withPlane(OBJECTS, async (plane) => {
    plane.mode = size.mode;
    for (let i = 0; i < size.count; i++) plane.start();
    await plane.balanced(size.mode === 'sharded' ? size.count : 0);
    await plane.changeInTurn(WARMING * size.count, AT_ONCE * size.count);
    Object.assign(plane, { count: size.count, idle: [], paced: [], busy: [] });
    await withPlanes(rest, work, [...planes, plane]);
  });
}

/** The plane was idle while the others had their turns. */
async function measureRound(plane) {
  if (plane.last !== undefined) plane.idle.push(await plane.usedSince(plane.last));
  plane.paced.push(await plane.usedIn(() => plane.change(RATE * SECONDS, RATE)));
  const before = await plane.measure();
  plane.busy.push(await plane.usedIn(() => plane.changeInTurn(IN_ROUND * plane.count, AT_ONCE * plane.count)));
  plane.reconciles = (await plane.measure()).map(({ reconciles }, i) => reconciles - before[i].reconciles);
  plane.last = await plane.snapshot();
}

function summaryOf({ count, idle, paced, busy, reconciles }) {
  const each = Array.from({ length: count }, (_, i) => {
    const sum = (rounds, key) => rounds.reduce((total, used) => total + used[i][key], 0);
    const idleMs = sum(idle, 'cpuMs') / sum(idle, 'seconds');
    const changes = ROUNDS * IN_ROUND * count;
    const msPerChange = (sum(busy, 'cpuMs') - idleMs * sum(busy, 'seconds')) / changes;
    const seconds = sum(paced, 'seconds');
    return {
      idleMs,
      /** Rate of all changes at which this replica needs a whole core. */
      capacity: (CORE_MS - idleMs) / msPerChange,
      // A machine that is busy with other things takes longer than planned for the changes.
      cpuMs: idleMs + (sum(paced, 'cpuMs') - idleMs * seconds) / (ROUNDS * SECONDS),
      bytes: sum(paced, 'bytes') / (ROUNDS * SECONDS),
      rssMb: paced.at(-1)[i].rssMb,
    };
  });
  const total = (key) => each.reduce((sum, replica) => sum + replica[key], 0);
  return {
    idleMs: total('idleMs'),
    cpuMs: total('cpuMs'),
    rssMb: total('rssMb'),
    capacity: Math.min(...each.map(({ capacity }) => capacity)),
    mostBytes: Math.max(...each.map(({ bytes }) => bytes)),
    mostObjects: Math.max(...reconciles) / reconciles.reduce((sum, one) => sum + one, 0),
  };
}

/** Goes from 3 replicas to 4 and back, under load. */
async function moveSlots(plane, print) {
  for (let i = 0; i < 3; i++) plane.start();
  await plane.balanced(3);
  await plane.change(3_000, MOVING_RATE * 2);
  const steady = await plane.lagsOf(() => plane.change(STEADY_SECONDS * MOVING_RATE, MOVING_RATE));
  for (const [what, move, count] of [
    ['3 → 4 replicas', () => plane.start(), 4],
    ['4 → 3 replicas', () => plane.stopLast(), 3],
  ]) {
    const before = await plane.owners();
    let left;
    const lags = await plane.lagsOf(async () => {
      const changing = plane.change(STEADY_SECONDS * MOVING_RATE, MOVING_RATE);
      await move();
      left = await plane.balanced(count, plane.gone);
      await changing;
    });
    const moved = left.filter((owner, slot) => owner !== before[slot]).length;
    const [p99, steadyP99] = [quantile(lags, 0.99), quantile(steady, 0.99)];
    print(
      `${`${what}, ${MOVED_OBJECTS} objects at ${MOVING_RATE}/s`.padEnd(40)}${percent(moved / before.length)} of the slots moved, ` +
        `p50 ${quantile(lags, 0.5)} ms, steady ${quantile(steady, 0.5)} ms; p99 ${p99} ms, steady ${steadyP99} ms ` +
        `(× ${(p99 / steadyP99).toFixed(1)}); ${plane.countLost()} of ${lags.length} reconciles lost`,
    );
  }
}

async function withPlane(objects, work) {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = [
    'up',
    '--memory',
    '--port',
    '0',
    '--no-console',
    '--controllers',
    'namespace-controller',
    '--kubeconfig',
    kubeconfig,
  ];
  const server = spawn(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(server.stdout, 'data');
  const client = await connect(await loadConfig({ kubeconfig }));
  const plane = new Plane(client, kubeconfig, objects);
  await plane.fill();
  const stop = new AbortController();
  const following = plane.follow(stop.signal);
  try {
    return await work(plane);
  } finally {
    stop.abort();
    await following;
    for (const replica of plane.replicas) await plane.end(replica);
    await client.close();
    server.kill();
    await once(server, 'close');
    await rm(folder, { recursive: true, force: true });
  }
}

class Plane {
  replicas = [];
  /** Names of replicas that have ended. */
  gone = [];
  /** Lags of those. */
  left = [];
  values = new Map();
  copied = new Map();
  mode = 'sharded';
  #changes = 0;

  constructor(client, kubeconfig, objects) {
    this.client = client;
    this.kubeconfig = kubeconfig;
    this.objects = objects;
  }

  async fill() {
    const value = Buffer.from('0 0').toString('base64');
    await inParallel(this.objects, 16, async (i) => {
      const metadata = { namespace, name: `object-${i}`, labels: { bench: 'yes' } };
      await this.client.create(Secret, { metadata, data: { value } });
    });
  }

  start() {
    const replica = fork(join(import.meta.dirname, 'shards-replica.mjs'), [this.kubeconfig, this.mode], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.replicas.push(replica);
    return replica;
  }

  async stopLast() {
    const replica = this.replicas.pop();
    const { identity, lags } = await ask(replica);
    this.gone.push(identity);
    this.left.push(...lags);
    await this.end(replica);
  }

  async end(replica) {
    const exited = once(replica, 'exit');
    replica.send('stop');
    await exited;
  }

  async owners() {
    const map = await this.client.find(ConfigMap, MAP);
    const slots = parseShardMap(map?.data?.slots ?? '') ?? [];
    return slots.map(({ owner, target }) => (target === '' ? owner : ''));
  }

  /** Resolves with the owners once so many replicas have their share of all slots, and all objects are copied. 0: no shards. */
  async balanced(count, gone = []) {
    for (;;) {
      const owners = await this.owners();
      const names = new Set(owners);
      const isDone = names.size === count && !names.has('') && !gone.some((name) => names.has(name));
      if (isDone && this.copied.size >= this.objects) return owners;
      await pause(200);
    }
  }

  /** Follows the copies. */
  async follow(signal) {
    const events = this.client.watch(ConfigMap, { ...SELECT, resourceVersion: '0', signal });
    try {
      for await (const { type, object } of events)
        if (type === 'ADDED' || type === 'MODIFIED') this.copied.set(object.metadata.name, object.data?.value);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Changes each object once its last change was copied, so that every change is one reconcile on a machine of any speed. */
  async changeInTurn(count, atOnce) {
    for (let left = count; left > 0; left -= atOnce) {
      const sent = Array.from({ length: Math.min(left, atOnce) }, () => this.#changeNext());
      await Promise.all(sent);
      while (this.countLost() > 0) await pause(2);
    }
  }

  #changeNext() {
    const name = `object-${this.#changes++ % this.objects}`;
    const value = Buffer.from(`${this.#changes} ${Date.now()}`).toString('base64');
    this.values.set(name, value);
    return this.client.patch(Secret, { namespace, name }, { type: 'merge', body: { data: { value } } });
  }

  /** Returns what each replica used while the work ran. */
  async usedIn(work) {
    const before = await this.snapshot();
    await work();
    return await this.usedSince(before);
  }

  async snapshot() {
    return { atMs: performance.now(), facts: await this.measure() };
  }

  async usedSince({ atMs, facts }) {
    const seconds = (performance.now() - atMs) / 1_000;
    return (await this.measure()).map(({ cpuMs, bytes, rssMb }, i) => ({
      cpuMs: cpuMs - facts[i].cpuMs,
      bytes: bytes - facts[i].bytes,
      rssMb,
      seconds,
    }));
  }

  /** Returns the times from each change during the work to its first reconcile. */
  async lagsOf(work) {
    await this.measure();
    const first = this.#changes;
    await work();
    const lags = new Map();
    for (const { lags: reconciled } of [...(await this.measure()), { lags: this.left }])
      for (const [number, lagMs] of reconciled)
        if (number > first) lags.set(number, Math.min(lagMs, lags.get(number) ?? Number.POSITIVE_INFINITY));
    return [...lags.values()];
  }

  /** Changes objects at a rate, and waits until all of them are copied. */
  async change(count, rate) {
    const startMs = Date.now();
    const sent = [];
    for (let i = 0; i < count; i++) {
      const dueMs = startMs + (i * 1_000) / rate;
      const waitMs = dueMs - Date.now();
      if (waitMs > 1) await pause(waitMs);
      sent.push(this.#changeNext());
      if (sent.length >= 200) await Promise.all(sent.splice(0));
    }
    await Promise.all(sent);
    for (let tries = 0; tries < 300 && this.countLost() > 0; tries++) await pause(100);
  }

  /** Returns the number of objects whose last change was not copied. */
  countLost() {
    let count = 0;
    for (const [name, value] of this.values) if (this.copied.get(name) !== value) count++;
    return count;
  }

  async measure() {
    return await Promise.all(this.replicas.map(ask));
  }
}

async function ask(replica) {
  const answer = once(replica, 'message');
  replica.send('measure');
  const [facts] = await answer;
  return facts;
}

async function inParallel(count, loops, work) {
  let next = 0;
  const loop = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: loops }, loop));
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}
