// Compares the client with @kubernetes/client-node, each in its own process against one server: `npm run bench -- client`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { DEFINITION, Fruit, fruit } from './client-fruit.mjs';

const root = join(import.meta.dirname, '..', '..');
const peer = join(import.meta.dirname, 'client-peer.mjs');
const OBJECTS = 50_000;
const ROUNDS = 5;

export async function bench(print) {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const started = [];
  const start = (...args) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    return child;
  };
  try {
    await compareImports(print);
    const server = start(
      join(root, 'packages/cli/dist/main.js'),
      'up',
      '--memory',
      '--port',
      '0',
      '--kubeconfig',
      kubeconfig,
    );
    await once(server.stdout, 'data');
    await record(kubeconfig, folder, await fill(kubeconfig));
    await compareSync(print, 'from pintle up', kubeconfig);
    await stop(server);
    const replay = start(join(import.meta.dirname, 'client-replay.mjs'), folder);
    const [port] = await once(replay.stdout, 'data');
    const full = await kubeconfigFor(folder, `http://127.0.0.1:${`${port}`.trim()}/full`);
    await compareSync(print, 'from a bare server', full);
    await compareWatch(print, await kubeconfigFor(folder, `http://127.0.0.1:${`${port}`.trim()}/empty`));
  } finally {
    for (const child of started) await stop(child);
    await rm(folder, { recursive: true, force: true });
  }
  await countQueue(print);
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'close');
}

/** Writes a kubeconfig without credentials. */
async function kubeconfigFor(folder, server) {
  const file = join(folder, `config-${server.split('/').pop()}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'x', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

async function compareImports(print) {
  const [ours, theirs] = await all(7, ['pintle', 'client-node'], (who) => [who, 'import']);
  report(
    print,
    'import',
    `${ours.ms.toFixed(0)} ms`,
    `${theirs.ms.toFixed(0)} ms`,
    ours.ms / theirs.ms,
    'at most 0.20',
  );
}

async function compareSync(print, where, kubeconfig) {
  const [ours, theirs, looking] = await all(ROUNDS, ['pintle', 'client-node', 'pintle-looking'], (who) => [
    who,
    'sync',
    kubeconfig,
    `${OBJECTS}`,
  ]);
  print(`initial sync of ${OBJECTS} custom resources, ${where}`);
  report(print, '  time', seconds(ours.ms), seconds(theirs.ms), theirs.ms / ours.ms, 'at least 3');
  report(print, '  of it at work', seconds(ours.ranMs), seconds(theirs.ranMs), theirs.ranMs / ours.ranMs, '');
  report(print, '  processor time', seconds(ours.cpuMs), seconds(theirs.cpuMs), theirs.cpuMs / ours.cpuMs, '');
  report(
    print,
    '  heap afterwards',
    megabytes(ours.heap),
    megabytes(theirs.heap),
    ours.heap / theirs.heap,
    'at most 0.50',
  );
  report(print, '  highest resident size', megabytes(ours.peak), megabytes(theirs.peak), ours.peak / theirs.peak, '');
  report(
    print,
    '  time, with a handler that looks',
    seconds(looking.ms),
    seconds(theirs.ms),
    theirs.ms / looking.ms,
    '',
  );
  report(print, '  heap of that', megabytes(looking.heap), megabytes(theirs.heap), looking.heap / theirs.heap, '');
}

async function compareWatch(print, kubeconfig) {
  const whos = ['pintle', 'client-node', 'pintle-looking', 'pintle-loop'];
  const [ours, theirs, looking, loop] = await all(ROUNDS, whos, (who) => [who, 'watch', kubeconfig, `${OBJECTS}`]);
  const rate = ({ ms }) => (OBJECTS / ms) * 1_000;
  const perSecond = (result) => `${Math.round(rate(result))}/s`;
  const compare = (what, one, wanted) =>
    report(print, what, perSecond(one), perSecond(theirs), rate(one) / rate(theirs), wanted);
  compare('watch events into a cache', ours, 'at least 3');
  report(print, '  of it at work', seconds(ours.ranMs), seconds(theirs.ranMs), theirs.ranMs / ours.ranMs, '');
  compare('  with a handler that looks', looking, '');
  compare('  in a loop that looks', loop, '');
}

async function countQueue(print) {
  const { rate } = await run(['pintle', 'queue']);
  print(`${'queue: add, get, done'.padEnd(36)} ${Math.round(rate)}/s on one core (at least 1,000,000)`);
}

/** Returns the minimum of each figure over several alternating runs: other processes only add to it. */
async function all(rounds, whos, argsOf) {
  const runs = new Map(whos.map((who) => [who, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [who, found] of runs) found.push(await run(argsOf(who)));
  }
  return [...runs.values()].map(leastOf);
}

function leastOf(found) {
  const figures = Object.keys(found[0]).map((name) => [name, Math.min(...found.map((one) => one[name]))]);
  return Object.fromEntries(figures);
}

async function run(args) {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', peer, ...args]);
  return JSON.parse(stdout);
}

/** Creates the objects. Returns the resourceVersion before the first. */
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

/** Records the responses of the server about the objects. */
async function record(kubeconfig, folder, since) {
  const { connect, loadConfig } = await import('@pintle/client');
  const client = await connect(await loadConfig({ kubeconfig }));
  const { body } = await client.send({ method: 'GET', path: '/apis/bench.pintle.dev/v1/fruits' });
  const list = await buffer(body);
  await writeFile(join(folder, 'list.json'), list);
  const { metadata } = JSON.parse(list);
  await writeFile(join(folder, 'facts.json'), JSON.stringify({ version: metadata.resourceVersion }));
  const file = await open(join(folder, 'events.jsonl'), 'w');
  let lines = 0;
  for await (const chunk of await client.watchBytes(Fruit, { resourceVersion: since })) {
    let end = chunk.indexOf(10);
    for (; end >= 0; end = chunk.indexOf(10, end + 1)) if (++lines === OBJECTS) break;
    await file.write(end < 0 ? chunk : chunk.subarray(0, end + 1));
    if (lines === OBJECTS) break;
  }
  await file.close();
  await client.close();
}

function report(print, what, ours, theirs, ratio, wanted) {
  const bound = wanted === '' ? '' : ` (${wanted})`;
  print(`${what.padEnd(36)} ${ours} against ${theirs}: ${ratio.toFixed(2)} ×${bound}`);
}

const seconds = (ms) => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
