// Replays the recorded answers of a real control plane, and of kubectl, on a fresh server of ours and compares the score
// with conformance-baseline.json. Fails when an area got worse; `--update` writes the new score after an improvement.
// Usage: npm run conformance -- [--update] [--only AREA]... [--recordings DIR] [--http2 fast|node] [--etcd] [--workers N] [-v]
// With --recordings the areas of DIR are replayed; those that conformance/ repeats and adds to are replayed from there.
// With --workers the server has several processes. With --etcd the server keeps its objects in an etcd that is started for it (scripts/etcd.mjs finds one).
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from './free-port.mjs';
import { repeats } from './recordings.mjs';

const root = join(import.meta.dirname, '..');
const ownRecordings = join(root, 'conformance');
const baselineFile = join(root, 'conformance-baseline.json');
const START_TIMEOUT_MS = 30_000;
/** Allowed drop of steps in areas that wait for controllers, where a step or two depends on timing. */
const SLACK_STEPS = 2;

const { values: options } = parseArgs({
  options: {
    update: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    recordings: { type: 'string', default: ownRecordings },
    http2: { type: 'string', default: 'fast' },
    etcd: { type: 'boolean' },
    workers: { type: 'string', default: '1' },
    verbose: { type: 'boolean', short: 'v' },
  },
});

const recordings = resolve(options.recordings);
/** The area of kubectl commands and their output, which a separate runner replays. */
const KUBECTL = 'kubectl';
const folder = mkdtempSync(join(tmpdir(), 'pintle-conformance-'));
const etcd = options.etcd ? await startEtcd() : undefined;
try {
  const scores = await scoreAll(areas());
  // Steps that wait for controllers may time out on a busy machine: a worse area is replayed once more, alone on a new server.
  for (const area of options.update ? [] : Object.keys(scores).filter((name) => isWorse(name, scores[name]))) {
    const again = await onServer((server) => score(area, server));
    if (again.right >= scores[area].right) scores[area] = again;
  }
  judge(scores);
} finally {
  etcd?.process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Replays areas on two servers at once: much of a replay waits for controllers. Commands list objects, so they have a server to themselves. */
async function scoreAll(all) {
  const scores = {};
  const left = all.filter((area) => area !== KUBECTL);
  const replayLeft = async (server) => {
    for (let area = left.shift(); area !== undefined; area = left.shift()) scores[area] = await score(area, server);
  };
  const replayCommands = async (server) => {
    scores[KUBECTL] = await score(KUBECTL, server);
  };
  const lane = async () => {
    if (all.includes(KUBECTL)) await onServer(replayCommands);
    await onServer(replayLeft);
  };
  await Promise.all([left.length > 0 ? onServer(replayLeft) : undefined, lane()]);
  return scores;
}

/** Runs `work` on a fresh server, and stops that. */
async function onServer(work) {
  const server = startServer();
  try {
    await serverReady(server);
    return await work(server);
  } finally {
    await stopServer(server);
  }
}

async function score(area, server) {
  const { exact, message, wrong, excepted } = await (area === KUBECTL ? replayKubectl(server) : replay(area, server));
  const result = { right: exact + message, exact, of: exact + message + wrong + excepted };
  const { right, of } = result;
  console.log(`${area.padEnd(32)} ${String(right).padStart(4)} right, ${String(exact).padStart(4)} exact of ${of}`);
  return result;
}

async function stopServer({ process }) {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const stopped = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGTERM');
  await stopped;
}

/** Returns the folder whose recordings of an area are replayed: ours where they have all that is in the other one. */
function recordingsOf(area) {
  return repeats(ownRecordings, recordings, area) ? ownRecordings : recordings;
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
  const kubeconfig = join(mkdtempSync(join(folder, 'server-')), 'kubeconfig');
  const args = ['up', ...storeFlags(), '--port', '0', '--kubeconfig', kubeconfig, '--http2', options.http2];
  args.push('--workers', options.workers);
  const child = spawn(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.on('exit', (code, signal) => {
    if (signal !== 'SIGTERM' && code !== 0) console.error(`conformance: the server exited with ${signal ?? code}`);
  });
  return { process: child, kubeconfig };
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

async function serverReady({ process, kubeconfig }) {
  const end = Date.now() + START_TIMEOUT_MS;
  while (!existsSync(kubeconfig)) {
    if (Date.now() > end || process.exitCode !== null) throw new Error('conformance: the server did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  while ((await processesOf(kubeconfig)) < Number(options.workers)) {
    if (Date.now() > end || process.exitCode !== null) throw new Error('conformance: not all workers have started');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  nameLocalhost(kubeconfig);
}

/** Returns how many processes of a server serve requests. */
async function processesOf(kubeconfig) {
  if (options.workers === '1') return 1;
  const text = readFileSync(kubeconfig, 'utf8');
  const pem = (field) => Buffer.from(text.match(`${field}: (\\S+)`)?.[1] ?? '', 'base64');
  const response = await new Promise((resolve, reject) => {
    const tls = {
      ca: pem('certificate-authority-data'),
      cert: pem('client-certificate-data'),
      key: pem('client-key-data'),
    };
    get(`${text.match(/server: (\S+)/)[1]}/metrics`, { ...tls, agent: false }, resolve).on('error', reject);
  });
  let metrics = '';
  for await (const chunk of response) metrics += chunk;
  return Number(/^pintle_server_processes (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

/** Makes the host name localhost, as in the recordings: requests to backends contain it. */
function nameLocalhost(kubeconfig) {
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replace('https://127.0.0.1:', 'https://localhost:'));
}

async function replay(area, server) {
  const args = ['--only', `${area}/`];
  const exceptions = join(root, 'conformance-exceptions.json');
  if (existsSync(exceptions)) args.push('--exceptions', exceptions);
  return only(area, await runRecordings('run.mjs', area, server, args));
}

async function replayKubectl(server) {
  const { findKubectl } = await import(join(root, 'node_modules/.cache/pintle-tests/helpers/kubectl.js'));
  const { totals } = await runRecordings('kubectl.mjs', KUBECTL, server, ['--kubectl', await findKubectl()]);
  return { ...totals, excepted: 0 };
}

/** Runs one of the programs beside the recordings and returns its report. */
function runRecordings(program, area, { kubeconfig }, args) {
  const out = join(folder, `${area}.json`);
  const all = [join(recordingsOf(area), program), '--kubeconfig', kubeconfig, '--json', out, ...args];
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

/** Keeps the results of one area: the runner selects scenarios by substring, and `apply/` is also in an area that ends with it. */
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
