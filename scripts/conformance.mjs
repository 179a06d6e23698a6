// Replays the recorded answers of a real control plane, and of kubectl, on a fresh server of ours and compares the score
// with conformance-baseline.json. Fails when an area got worse; `--update` writes the new score after an improvement.
// Usage: npm run conformance -- [--update] [--only AREA]... [--recordings DIR] [--http2 fast|node] [--etcd] [-v]
// With --etcd the server keeps its objects in an etcd that is started for it (scripts/etcd.mjs finds one).
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from './free-port.mjs';

const root = join(import.meta.dirname, '..');
const baselineFile = join(root, 'conformance-baseline.json');
const START_TIMEOUT_MS = 30_000;
/** Allowed drop of steps in areas that wait for controllers, where a step or two depends on timing. */
const SLACK_STEPS = 2;

const { values: options } = parseArgs({
  options: {
    update: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    recordings: { type: 'string', default: join(root, 'conformance') },
    http2: { type: 'string', default: 'fast' },
    etcd: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
  },
});

const recordings = resolve(options.recordings);
/** The area of kubectl commands and their output, which a separate runner replays. */
const KUBECTL = 'kubectl';
const folder = mkdtempSync(join(tmpdir(), 'pintle-conformance-'));
const kubeconfig = join(folder, 'kubeconfig');
const etcd = options.etcd ? await startEtcd() : undefined;
let server = startServer();
try {
  await serverReady();
  const scores = {};
  for (const area of areas()) {
    // The commands list objects, so other areas must not have left any.
    if (area === KUBECTL && Object.keys(scores).length > 0) await restartServer();
    scores[area] = await score(area);
  }
  // Steps that wait for controllers may time out on a busy machine: a worse area is replayed once more, on a new server.
  for (const area of options.update ? [] : Object.keys(scores).filter((name) => isWorse(name, scores[name]))) {
    await restartServer();
    const again = await score(area);
    if (again.right >= scores[area].right) scores[area] = again;
  }
  judge(scores);
} finally {
  await stopServer();
  etcd?.process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function score(area) {
  const { exact, message, wrong, excepted } = await (area === KUBECTL ? replayKubectl() : replay(area));
  const result = { right: exact + message, exact, of: exact + message + wrong + excepted };
  const { right, of } = result;
  console.log(`${area.padEnd(32)} ${String(right).padStart(4)} right, ${String(exact).padStart(4)} exact of ${of}`);
  return result;
}

async function stopServer() {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const stopped = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await stopped;
}

async function restartServer() {
  await stopServer();
  rmSync(kubeconfig, { force: true });
  server = startServer();
  await serverReady();
}

function areas() {
  const scenarios = readdirSync(join(recordings, 'scenarios')).map((file) => file.replace(/\.mjs$/, ''));
  const all = [...scenarios, KUBECTL];
  const chosen = options.only ? all.filter((area) => options.only.some((text) => area.includes(text))) : all;
  const known = options.update || options.only ? chosen : chosen.filter((area) => baseline()[area] !== undefined);
  return known.sort((a, b) => Number(a === KUBECTL) - Number(b === KUBECTL) || (a < b ? -1 : 1));
}

function baseline() {
  return existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, 'utf8')) : {};
}

function startServer() {
  const args = ['up', ...storeFlags(), '--port', '0', '--kubeconfig', kubeconfig, '--http2', options.http2];
  const child = spawn(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.on('exit', (code, signal) => {
    if (signal !== 'SIGTERM' && code !== 0) console.error(`conformance: the server exited with ${signal ?? code}`);
  });
  return child;
}

/** Returns the flags of a new store for each server. */
function storeFlags() {
  if (etcd === undefined) return ['--memory'];
  const data = mkdtempSync(join(folder, 'data-'));
  return ['--data', data, '--etcd-servers', etcd.endpoint, '--etcd-prefix', data];
}

async function startEtcd() {
  const binary = execFileSync(process.execPath, [join(root, 'scripts', 'etcd.mjs')], { encoding: 'utf8' }).trim();
  const [client, peer] = await Promise.all([freePort(), freePort()]);
  const [endpoint, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const urls = [
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peerUrl}`,
  ];
  const cluster = [`--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=default=${peerUrl}`];
  const args = [`--data-dir=${join(folder, 'etcd')}`, '--unsafe-no-fsync', '--log-level=fatal', ...urls, ...cluster];
  const child = spawn(binary, args, { stdio: 'ignore' });
  for (const end = Date.now() + START_TIMEOUT_MS; !(await isHealthy(endpoint)); ) {
    if (Date.now() > end || child.exitCode !== null) throw new Error('conformance: etcd did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { process: child, endpoint };
}

async function isHealthy(endpoint) {
  return await fetch(`${endpoint}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function serverReady() {
  const end = Date.now() + START_TIMEOUT_MS;
  while (!existsSync(kubeconfig)) {
    if (Date.now() > end || server.exitCode !== null) throw new Error('conformance: the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  nameLocalhost();
}

/** Makes the host name localhost, as in the recordings: requests to backends contain it. */
function nameLocalhost() {
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replace('https://127.0.0.1:', 'https://localhost:'));
}

async function replay(area) {
  const args = ['--only', area];
  const exceptions = join(root, 'conformance-exceptions.json');
  if (existsSync(exceptions)) args.push('--exceptions', exceptions);
  return only(area, await runRecordings('run.mjs', area, args));
}

async function replayKubectl() {
  const { findKubectl } = await import(join(root, 'node_modules/.cache/pintle-tests/helpers/kubectl.js'));
  const { totals } = await runRecordings('kubectl.mjs', KUBECTL, ['--kubectl', await findKubectl()]);
  return { ...totals, excepted: 0 };
}

/** Runs one of the programs beside the recordings and returns its report. */
function runRecordings(program, area, args) {
  const out = join(folder, `${area}.json`);
  const all = [join(recordings, program), '--kubeconfig', kubeconfig, '--json', out, ...args];
  if (options.verbose) all.push('-v');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, all, {
      stdio: ['ignore', options.verbose ? 'inherit' : 'ignore', 'inherit'],
    });
    child.on('exit', () => {
      if (!existsSync(out)) return reject(new Error(`conformance: the replay of ${area} gave no result`));
      resolve(JSON.parse(readFileSync(out, 'utf8')));
    });
  });
}

/** Keeps the results of one area: the runner selects areas by substring, and `crd` is also in `crd-cel`. */
function only(area, { report }) {
  const total = { exact: 0, message: 0, wrong: 0, excepted: 0 };
  for (const scenario of report.filter(({ id }) => id.startsWith(`${area}/`))) {
    for (const key of Object.keys(total)) total[key] += scenario[key];
  }
  return total;
}

function isWorse(area, { right, exact }) {
  const before = baseline()[area];
  return before !== undefined && (right < before.right - SLACK_STEPS || exact < before.exact - SLACK_STEPS);
}

function judge(scores) {
  if (options.update) {
    const next = { ...baseline(), ...scores };
    writeFileSync(baselineFile, `${JSON.stringify(Object.fromEntries(Object.entries(next).sort()), null, 2)}\n`);
    return;
  }
  const worse = Object.entries(scores).filter(([area, score]) => isWorse(area, score));
  for (const [area, { right, exact }] of worse) {
    const before = baseline()[area];
    console.error(`conformance: ${area} fell from ${before.right} right, ${before.exact} exact to ${right}, ${exact}`);
  }
  const count = Object.keys(scores).length;
  console.log(`conformance: ${count - worse.length} of ${count} areas at or above the baseline`);
  if (worse.length > 0) process.exitCode = 1;
}
