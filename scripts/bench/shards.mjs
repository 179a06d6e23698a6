// Shares a load among replicas, each in its own process: `npm run bench -- shards`. A machine has fewer cores than replicas, so what
// counts is the CPU time and the bytes that the busiest replica needs for the same changes.
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
const OBJECTS = Number(process.env.PINTLE_BENCH_OBJECTS ?? 2_000);
const CHANGES = Number(process.env.PINTLE_BENCH_CHANGES ?? 6_000);
/** Rate of the published comparison, for which CPU time and bytes are calculated. */
const RATE = 200;
const IDLE_MS = 10_000;
const IN_TURN = 50;
const MOVED_OBJECTS = Number(process.env.PINTLE_BENCH_MOVED_OBJECTS ?? 10_000);
const MOVING_RATE = 150;
const STEADY_SECONDS = 20;
const namespace = 'default';
const SELECT = { namespace, labelSelector: 'bench=yes' };
const MAP = { namespace, name: 'bench-shards' };

export async function bench(print) {
  await compareCounts(print);
  await withPlane(MOVED_OBJECTS, (plane) => moveSlots(plane, print));
}

/** Runs the same changes with 1, 2, 3 and 5 replicas. */
async function compareCounts(print) {
  let one;
  for (const count of [1, 2, 3, 5]) {
    const used = await withPlane(OBJECTS, (plane) => useOf(plane, count));
    const sum = (key) => used.reduce((total, each) => total + each[key], 0);
    const most = (key) => Math.max(...used.map((each) => each[key]));
    one ??= { cpuMs: sum('cpuMs'), bytes: sum('bytes'), rssMb: sum('rssMb') };
    const capacity = one.cpuMs / most('cpuMs');
    print(
      `${`${count} replicas at ${RATE} changes/s`.padEnd(28)}capacity × ${capacity.toFixed(2)} (${(capacity / count).toFixed(2)} × n), ` +
        `CPU in all ${percent(sum('cpuMs') / one.cpuMs)} (${sum('cpuMs').toFixed(0)} ms/s, idle ${sum('idleMs').toFixed(0)}), ` +
        `bytes of one ${percent(most('bytes') / one.bytes)} (1/n: ${percent(1 / count)}), memory in all ${percent(sum('rssMb') / one.rssMb)}`,
    );
  }
}

/** Returns what each of so many replicas needs in a second at the rate. */
async function useOf(plane, count) {
  for (let i = 0; i < count; i++) plane.start();
  await plane.balanced(count);
  // Every process compiles its code for itself: each gets as many changes as one alone.
  await plane.changeInTurn(1_000 * count);
  const idle = await plane.usedIn(() => pause(IDLE_MS));
  const busy = await plane.usedIn(() => plane.changeInTurn(CHANGES));
  return busy.map((each, i) => {
    const atRate = (key) => {
      const ofChanges = each[key] - idle[i][key] * (each.seconds / idle[i].seconds);
      return idle[i][key] / idle[i].seconds + (ofChanges * RATE) / CHANGES;
    };
    return {
      cpuMs: atRate('cpuMs'),
      idleMs: idle[i].cpuMs / idle[i].seconds,
      bytes: atRate('bytes'),
      rssMb: each.rssMb,
    };
  });
}

/** Goes from 3 replicas to 4 and back, under load. */
async function moveSlots(plane, print) {
  for (let i = 0; i < 3; i++) plane.start();
  await plane.balanced(3);
  await plane.change(3_000, MOVING_RATE * 2);
  await plane.measure();
  await plane.change(STEADY_SECONDS * MOVING_RATE, MOVING_RATE);
  const steady = quantile(
    (await plane.measure()).flatMap(({ lags }) => lags.map(([, lag]) => lag)),
    0.99,
  );
  for (const [what, move] of [
    ['3 → 4 replicas', () => plane.start()],
    ['4 → 3 replicas', () => plane.stopLast()],
  ]) {
    const before = await plane.owners();
    const changing = plane.change(STEADY_SECONDS * MOVING_RATE, MOVING_RATE);
    await move();
    const left = await plane.balanced(what.startsWith('3') ? 4 : 3, what.startsWith('3') ? [] : plane.gone);
    await changing;
    const lags = (await plane.measure()).flatMap((each) => each.lags.map(([, lag]) => lag));
    const moved = left.filter((owner, slot) => owner !== before[slot]).length;
    const lost = plane.countLost();
    const p99 = quantile(lags, 0.99);
    print(
      `${`${what}, ${MOVED_OBJECTS} objects at ${MOVING_RATE}/s`.padEnd(40)}${percent(moved / before.length)} of the slots moved, ` +
        `p99 ${p99} ms, steady ${steady} ms (× ${(p99 / steady).toFixed(1)}), ${lost} reconciles lost`,
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
  values = new Map();
  copied = new Map();
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
    const replica = fork(join(import.meta.dirname, 'shards-replica.mjs'), [this.kubeconfig], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.replicas.push(replica);
    return replica;
  }

  async stopLast() {
    const replica = this.replicas.pop();
    const { identity } = await ask(replica);
    this.gone.push(identity);
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

  /** Resolves with the owners once so many replicas have their share of all slots, and all objects are copied. */
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
  async changeInTurn(count) {
    for (let left = count; left > 0; left -= IN_TURN) {
      const sent = Array.from({ length: Math.min(left, IN_TURN) }, () => this.#changeNext());
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
    const startMs = performance.now();
    const before = await this.measure();
    await work();
    const after = await this.measure();
    const seconds = (performance.now() - startMs) / 1_000;
    return after.map(({ cpuMs, bytes, rssMb }, i) => ({
      cpuMs: cpuMs - before[i].cpuMs,
      bytes: bytes - before[i].bytes,
      rssMb,
      seconds,
    }));
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

function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}
