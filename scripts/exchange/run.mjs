// Exchanges objects with a real kube-apiserver on one etcd:
// KUBE_APISERVER_BIN=PATH [KUBE_CONTROLLER_MANAGER_BIN=PATH] node scripts/exchange/run.mjs [--minutes 10] [--only there|back|both]... [--keep] [--fixtures FILE]
//
//   there  kube-apiserver writes, Pintle reads: every built-in kind, definitions, custom resources, every field of every kind
//   back   Pintle writes, kube-apiserver reads
//   both   both serve the same etcd, with controllers at work, for --minutes
//
// Fails when an object is served differently, when one cannot be decoded, when an address or a port is given twice, or when a watch
// misses a write of the other server. Without KUBE_APISERVER_BIN it does nothing, and says so.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KubernetesLayout, ValueEncryption } from '@pintle/kube-apiserver/storage';
// Not public: only this script walks through all stored kinds.
import { storedKinds } from '../../packages/kube-apiserver/dist/storage/stored-kinds.js';
import { compareAll } from './compare.mjs';
import { customResources, definitions, goldenBytes, NAMESPACE, recordedObjects } from './objects.mjs';
import { Servers, until } from './servers.mjs';
import { serveTogether } from './together.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true, default: ['there', 'back', 'both'] },
    keep: { type: 'boolean' },
    fixtures: { type: 'string' },
  },
});
const kube = process.env.KUBE_APISERVER_BIN;
if (kube === undefined) {
  console.error('SKIPPED: KUBE_APISERVER_BIN names no kube-apiserver to exchange objects with');
  process.exit(0);
}

/** Differences in published objects whose fields contradict each other; no server writes such, and kube-apiserver mends them when it reads. */
const UNWRITTEN = [
  // Former names of fields, with other values than the fields.
  /\.serviceAccount: "serviceAccountNameValue" \| "serviceAccountValue"$/,
  /\.podIPs\.0\.ip: "podIPValue" \| "ipValue"$/,
  // Moved to `data` by every write.
  /\.(stringData|data\.stringDataKey): /,
  // Requests that every write takes from the limits.
  /\.resources\.requests\.limitsKey: "0" \| absent$/,
  // A field of a version that is no longer served, as an annotation.
  /\.deprecated\.daemonset\.template\.generation: "0" \| absent$/,
];

/** Names in the published objects, which their paths have too. */
const [GOLDEN_NAMESPACE, GOLDEN_NAME] = ['namespaceValue', 'nameValue'];
/** Collections that no server lists. */
const INTERNAL = new Set(['core/servicenodeportallocations', 'core/apiServerIPInfo']);
const PARTS = { there, back, both };
const problems = [];
for (const part of options.only) {
  const folder = mkdtempSync(join(tmpdir(), `pintle-exchange-${part}-`));
  const servers = new Servers(folder);
  try {
    await servers.startEtcd();
    await PARTS[part](servers);
  } catch (error) {
    problems.push(`${part}: ${error.stack} ${error.cause ?? ''}`);
  } finally {
    await servers.stopAll();
    if (options.keep) console.log(`Logs: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}
for (const problem of problems) console.error(`PROBLEM ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);

/** kube-apiserver writes, Pintle reads. */
async function there(servers) {
  const prefix = '/registry';
  const first = await servers.startKube(kube, { prefix, address: '192.0.2.1' });
  await writeObjects(first);
  const second = await servers.startPintle({ prefix, address: '192.0.2.2' });
  report('there, as kube-apiserver wrote them', await compareAll(first, second));
  for (const server of [first, second]) decodeErrors(server);
  if (options.fixtures !== undefined) await writeFixtures(servers, prefix, first);
  report('there, as published with every field', withoutUnwritten(await compareGolden(servers, prefix, first, second)));
}

/** Pintle writes, kube-apiserver reads. */
async function back(servers) {
  const prefix = '/registry';
  const first = await servers.startPintle({ prefix, address: '192.0.2.2' });
  await writeObjects(first);
  const second = await servers.startKube(kube, { prefix, address: '192.0.2.1' });
  report('back', await compareAll(second, first));
  for (const server of [first, second]) decodeErrors(server);
}

async function both(servers) {
  const binary = process.env.KUBE_CONTROLLER_MANAGER_BIN;
  const outcome = await serveTogether(servers, { kube, controllers: binary, minutes: Number(options.minutes) });
  problems.push(...outcome.problems.map((problem) => `both: ${problem}`));
  console.log(`both: ${JSON.stringify(outcome.counts)}`);
  report('both, at the end', await compareAll(...outcome.servers));
  for (const server of outcome.servers) decodeErrors(server);
}

/** Creates one object of every kind. What a server refuses is told. */
async function writeObjects(server) {
  await post(server, {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
  });
  const written = recordedObjects();
  for (const each of written) await post(server, each);
  for (const definition of definitions()) {
    await post(server, { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', object: definition });
    for (const resource of customResources(definition)) {
      await until(resource.path, async () => (await server.send('GET', resource.path)).status === 200);
      await post(server, resource);
    }
  }
  console.log(
    `${server.name}: wrote objects of ${written.length} built-in kinds and ${definitions().length} definitions`,
  );
}

async function post(server, { path, object }) {
  const { status, text } = await server.send('POST', path, object);
  if (status !== 201 && status !== 409)
    problems.push(`${server.name} refused ${path}: ${status} ${text.slice(0, 400)}`);
}

/** Puts the published bytes of every kind into etcd, in the versions that kube-apiserver stores, and compares what both serve. */
async function compareGolden(servers, prefix, first, second) {
  const layout = new KubernetesLayout({ prefix: `${prefix}/`, encryption: await ValueEncryption.create() });
  const golden = goldenBytes();
  let written = 0;
  for (const { name, scope, written: form, kind } of storedKinds.values()) {
    const bytes = golden.get(`${form.apiVersion.includes('/') ? '' : '/'}${form.apiVersion}/${kind}`);
    if (bytes === undefined || INTERNAL.has(name)) continue;
    const path = layout.pathOf(`${name}/${scope === 'Cluster' ? '' : `${GOLDEN_NAMESPACE}/`}${GOLDEN_NAME}`);
    await servers.putRaw(`${prefix}/${path}`, bytes);
    written++;
  }
  console.log(`etcd: holds published objects of ${written} kinds`);
  return await compareAll(first, second);
}

function withoutUnwritten(result) {
  const differing = result.differing
    .map((item) => ({
      ...item,
      difference: item.difference.filter((line) => !UNWRITTEN.some((known) => known.test(line))),
    }))
    .filter(({ difference }) => difference.length > 0);
  console.log(
    `(${result.differing.length - differing.length} published objects differ in fields that contradict each other)`,
  );
  return { ...result, differing };
}

/** Keeps values as kube-apiserver wrote them, with the objects that it serves: tests read them. */
async function writeFixtures(servers, prefix, server) {
  const custom = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'ports' } };
  const spec = {
    type: 'NodePort',
    ports: [
      { name: 'a', port: 80, nodePort: 30_000 },
      { name: 'b', port: 81, nodePort: 30_123 },
    ],
  };
  await post(server, { path: `/api/v1/namespaces/${NAMESPACE}/services`, object: { ...service, spec } });
  const served = [
    ...['ones', 'twos', 'wides', 'mixes'].map((name) => [
      `apiextensions.k8s.io/customresourcedefinitions/${name}.exchange.example.com`,
      `${custom}/${name}.exchange.example.com`,
    ]),
    ['apiregistration.k8s.io/apiservices/v1.apps', '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps'],
    [`core/persistentvolumeclaims/${NAMESPACE}/a`, `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims/a`],
  ];
  const raw = await servers.readRaw(`${prefix}/`);
  const layout = new KubernetesLayout({ prefix: `${prefix}/`, encryption: await ValueEncryption.create() });
  const objects = [];
  for (const [key, path] of served) {
    const { body } = await server.send('GET', path);
    objects.push({ key, stored: textOf(raw.get(`${prefix}/${layout.pathOf(key)}`)), served: body });
  }
  const ranges = raw.get(`${prefix}/ranges/servicenodeports`).toString('base64');
  const lease = raw.get(`${prefix}/masterleases/192.0.2.1`)?.toString('base64');
  writeFileSync(
    options.fixtures,
    `${JSON.stringify({ objects, nodePorts: [30_000, 30_123], ranges, lease }, null, 2)}\n`,
  );
}

function textOf(bytes) {
  return bytes[0] === 0x7b ? { json: bytes.toString() } : { base64: bytes.toString('base64') };
}

function report(title, { equal, kinds, differing, notServed, refused }) {
  console.log(`${title}: ${equal} objects in ${kinds} resources equal, ${differing.length} differ`);
  if (notServed.length > 0) console.log(`  not served by Pintle: ${notServed.join(', ')}`);
  for (const text of refused) problems.push(`${title}: cannot list ${text}`);
  for (const { name, key, difference } of differing)
    problems.push(`${title}: ${name} ${key}\n    ${difference.join('\n    ')}`);
}

/** Finds values that a server could not read in its log. */
function decodeErrors(server) {
  const lines = readFileSync(server.process.logFile, 'utf8').split('\n');
  const found = lines.filter((line) =>
    /decod|unmarshal|unable to transform|no kind .* is registered|damaged|cannot read/i.test(line),
  );
  console.log(`${server.name}: ${found.length} decode errors in its log`);
  for (const line of found.slice(0, 5)) problems.push(`${server.name}: ${line}`);
}
