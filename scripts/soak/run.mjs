// Runs a server and an operator under a load that leaves nothing behind, and measures what they keep:
// `npm run test:soak -- [--minutes 10] [--seed N] [--csv FILE] [--snapshots FOLDER]`. Fails when a heap grows by more than 1 MiB in 10 minutes after the
// warm-up, when connections, timers or file descriptors are left at the end, or when a request fails.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect, loadConfig } from '@pintle/client';
import { installResources } from '@pintle/operator';
import { removeAll, startLoad } from './load.mjs';
import { Fruit } from './operator.mjs';
import { leaksOf, plot, slopeOf } from './series.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: `${Date.now() % 100_000}` },
    csv: { type: 'string' },
    snapshots: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('soak: Cannot run: pass --minutes NUMBER and --seed INTEGER');
  process.exit(1);
}

const MIB = 1024 * 1024;
/** Growth of a heap in 10 minutes. */
const MAX_GROWTH = 1 * MIB;
const SAMPLES = 60;
/** Share of the time in which caches fill and code is compiled, and how much faster the load is then: some bounds are far. */
const WARM_UP = 0.3;
const WARM_UP_PACE = 6;
/** Keeps history short, so that it does not show as growth. */
const COMPACTION = '10s';
/** Time until requests have ended, watches are closed, and deleted objects are collected. */
const REST_MS = 15_000;

if (values.snapshots !== undefined) mkdirSync(values.snapshots, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'pintle-soak-'));
const kubeconfig = join(folder, 'kubeconfig');
const children = [];
const problems = [];
try {
  await soak();
} catch (error) {
  problems.push(error.message);
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined)));
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(`soak: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function soak() {
  console.log(`soak: ${minutes} minutes, seed ${seed}`);
  const root = join(import.meta.dirname, '..', '..');
  const server = start('server', join(root, 'packages', 'cli', 'dist', 'main.js'), [
    ...['up', '--port', '0', '--nodes', '1', '--data', join(folder, 'data'), '--kubeconfig', kubeconfig],
    ...['--etcd-compaction-interval', COMPACTION],
  ]);
  await ready(server);
  const config = await loadConfig({ kubeconfig });
  const client = await connect(config);
  await installResources(client, [Fruit]);
  const operator = start('operator', join(import.meta.dirname, 'operator.mjs'), [], {
    KUBECONFIG: kubeconfig,
    POD_NAMESPACE: 'default',
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
  });
  // Compares the end with a rest after some load: caches are full by then.
  const series = { server: [], operator: [] };
  const began = performance.now();
  await run(minutes * WARM_UP, { share: WARM_UP, pace: WARM_UP_PACE }, config, { server, operator }, series, began);
  const before = await atRest(client, { server, operator }, 'before');
  const warmUntil = (performance.now() - began) / 1000;
  await run(minutes * (1 - WARM_UP), { share: 1 - WARM_UP, pace: 1 }, config, { server, operator }, series, began);
  const after = await atRest(client, { server, operator }, 'after');
  await client.close();
  report(series, warmUntil, before, after);
}

async function run(duration, { share, pace }, config, processes, series, began) {
  const load = startLoad(() => connect(config), { seed, pace });
  const samples = Math.max(4, Math.round(SAMPLES * share));
  for (let i = 0; i < samples; i++) {
    await sleep((duration * 60_000) / samples);
    for (const [name, child] of Object.entries(processes)) {
      const { heapBytes, externalBytes, rssBytes } = await sample(name, child);
      series[name].push([(performance.now() - began) / 1000, heapBytes, externalBytes, rssBytes]);
    }
  }
  await load.stop();
  const rounds = Object.entries(load.counts).map(([name, count]) => `${name} ${count}`);
  console.log(`soak: rounds: ${rounds.join(', ')}`);
  for (const failure of new Set(load.failures)) problems.push(`a request failed: ${failure}`);
}

async function atRest(client, processes, when) {
  await removeAll(client);
  await sleep(REST_MS);
  const found = {};
  for (const [name, child] of Object.entries(processes)) {
    const { heapBytes, open } = await sample(name, child);
    found[name] = { heapBytes, open: { ...open, ...(name === 'server' && (await watchersOf(client))) } };
    if (values.snapshots !== undefined)
      await request(name, child, { snapshot: join(values.snapshots, `${name}-${when}.heapsnapshot`) });
  }
  return found;
}

/** Returns the number of open watches by the metrics of the server. */
async function watchersOf(client) {
  const response = await client.send({ method: 'GET', path: '/metrics' });
  const chunks = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  let watches = 0;
  for (const [, count] of text.matchAll(/^apiserver_longrunning_requests\{[^}]*\} (\d+)/gm)) watches += Number(count);
  return { watches };
}

function report(series, warmUntil, before, after) {
  const rows = ['process,seconds,heap_bytes,external_bytes,rss_bytes'];
  for (const [name, points] of Object.entries(series)) {
    for (const point of points) rows.push([name, point[0].toFixed(1), ...point.slice(1)].join(','));
    const inMib = (column) => points.map((point) => [point[0], point[column] / MIB]);
    console.log(['', ...plot(`${name}: heap after a collection, MiB`, inMib(1))].join('\n'));
    console.log(['', ...plot(`${name}: resident memory, MiB`, inMib(3))].join('\n'));
    const warm = points.filter(([seconds]) => seconds > warmUntil).map(([seconds, heap]) => [seconds, heap]);
    const growth = slopeOf(warm) * 600;
    const rest = after[name].heapBytes - before[name].heapBytes;
    console.log(
      `\n${name}: heap ${signed(growth)} MiB per 10 minutes; at rest ${(before[name].heapBytes / MIB).toFixed(1)} MiB before, ` +
        `${(after[name].heapBytes / MIB).toFixed(1)} MiB after (${signed(rest)})`,
    );
    console.log(`${name}: open before ${JSON.stringify(before[name].open)}, after ${JSON.stringify(after[name].open)}`);
    if (growth > MAX_GROWTH) problems.push(`the heap of the ${name} grows by ${signed(growth)} MiB per 10 minutes`);
    for (const leak of leaksOf(before[name].open, after[name].open)) problems.push(`the ${name} leaks ${leak}`);
  }
  if (values.csv !== undefined) writeFileSync(values.csv, `${rows.join('\n')}\n`);
}

function signed(bytes) {
  const mib = (bytes / MIB).toFixed(2);
  return bytes < 0 ? mib : `+${mib}`;
}

function start(name, path, args, env = {}) {
  const child = fork(path, args, {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc', '--import', join(import.meta.dirname, 'probe.mjs')],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout.resume();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-2_000);
  });
  child.once('exit', (code, signal) => {
    if (!child.killed) problems.push(`the ${name} ended with ${signal ?? code}: ${errors.trim()}`);
  });
  children.push(child);
  return child;
}

/** Resolves when the server has written its kubeconfig and is ready. */
async function ready(child) {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) break;
    try {
      const client = await connect(await loadConfig({ kubeconfig }), { retry: false });
      const { status } = await client.send({ method: 'GET', path: '/readyz' });
      await client.close();
      if (status === 200) return;
    } catch {
      // Not yet.
    }
    await sleep(100);
  }
  throw new Error('Cannot start the server: it is not ready after 30 s');
}

function sample(name, child) {
  return request(name, child, 'sample');
}

/** Sends a message to the probe in a process, and returns its answer. */
async function request(name, child, message) {
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Cannot measure the ${name}: it has ended`);
  const answered = once(child, 'message');
  child.send(message);
  const [answer] = await answered;
  return answer;
}
