// The client against @kubernetes/client-node, each in a process of its own against one server: `npm run bench -- client`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEFINITION, Fruit, fruit } from './client-fruit.mjs';

const root = join(import.meta.dirname, '..', '..');
const peer = join(import.meta.dirname, 'client-peer.mjs');
const OBJECTS = 50_000;
const ROUNDS = 3;

export async function bench(print) {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['up', '--memory', '--port', '0', '--controllers', '', '--kubeconfig', kubeconfig];
  const server = spawn(process.execPath, [join(root, 'packages/cli/dist/main.js'), ...args], { stdio: 'pipe' });
  try {
    await compareImports(print);
    await once(server.stdout, 'data');
    const since = await fill(kubeconfig);
    await compareSync(print, kubeconfig);
    await compareWatch(print, kubeconfig, since);
  } finally {
    server.kill();
    await once(server, 'close');
    await rm(folder, { recursive: true, force: true });
  }
  await countQueue(print);
}

async function compareImports(print) {
  const [ours, theirs] = await both(7, (who) => [who, 'import']);
  report(
    print,
    'import',
    `${ours.ms.toFixed(0)} ms`,
    `${theirs.ms.toFixed(0)} ms`,
    ours.ms / theirs.ms,
    'at most 0.20',
  );
}

async function compareSync(print, kubeconfig) {
  const [ours, theirs] = await both(ROUNDS, (who) => [who, 'sync', kubeconfig, `${OBJECTS}`]);
  const what = `initial sync of ${OBJECTS} custom resources`;
  report(print, what, seconds(ours.ms), seconds(theirs.ms), theirs.ms / ours.ms, 'at least 3');
  report(
    print,
    '  heap afterwards',
    megabytes(ours.heap),
    megabytes(theirs.heap),
    ours.heap / theirs.heap,
    'at most 0.50',
  );
  report(print, '  highest resident size', megabytes(ours.peak), megabytes(theirs.peak), ours.peak / theirs.peak, '');
}

async function compareWatch(print, kubeconfig, since) {
  const [ours, theirs] = await both(ROUNDS, (who) => [who, 'watch', kubeconfig, `${OBJECTS}`, since]);
  const rate = ({ ms }) => (OBJECTS / ms) * 1_000;
  const perSecond = (result) => `${Math.round(rate(result))}/s`;
  report(print, 'watch events', perSecond(ours), perSecond(theirs), rate(ours) / rate(theirs), 'at least 3');
}

async function countQueue(print) {
  const { rate } = await run(['pintle', 'queue']);
  print(`${'queue: add, get, done'.padEnd(44)} ${Math.round(rate)}/s on one core (at least 1,000,000)`);
}

/** The quickest of several runs of each, which take turns. */
async function both(rounds, argsOf) {
  const runs = { pintle: [], 'client-node': [] };
  for (let round = 0; round < rounds; round++) {
    for (const [who, found] of Object.entries(runs)) found.push(await run(argsOf(who)));
  }
  return Object.values(runs).map((found) => found.reduce((best, next) => (next.ms < best.ms ? next : best)));
}

async function run(args) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', peer, ...args]);
  return JSON.parse(stdout);
}

/** Makes the objects. Gives the version before the first of them. */
async function fill(kubeconfig) {
  const { connect, hasCondition, loadConfig, waitFor } = await import('@pintle/client');
  const { CustomResourceDefinition } = await import('@pintle/kinds/apiextensions/v1');
  const client = await connect(await loadConfig({ kubeconfig }));
  await client.create(CustomResourceDefinition, DEFINITION);
  const ref = { name: DEFINITION.metadata.name };
  await waitFor(client, CustomResourceDefinition, ref, hasCondition('Established'));
  const { metadata } = await client.list(Fruit);
  let next = 0;
  const worker = async () => {
    while (next < OBJECTS) await client.create(Fruit, fruit(next++), { fieldManager: 'bench' });
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  await client.close();
  return metadata.resourceVersion;
}

function report(print, what, ours, theirs, ratio, wanted) {
  const bound = wanted === '' ? '' : ` (${wanted})`;
  print(`${what.padEnd(44)} ${ours} against ${theirs}: ${ratio.toFixed(2)} ×${bound}`);
}

const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
