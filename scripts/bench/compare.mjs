// Puts the same load on `pintle up` and on another Kubernetes API server, in turns, and prints the ratios:
//
//   npm run bench -- --compare https://127.0.0.1:6443 TOKEN [--objects N] [--rounds N] [--pids PID,PID] [--etcd-servers URL]
//
// The token's user must be allowed to create namespaces and ConfigMaps. Everything is created in one namespace, which is deleted in
// the end. With --pids the memory of these processes (say, kube-apiserver and etcd) is compared too. With --etcd-servers Pintle keeps its
// objects in that etcd, under a prefix of its own.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Http2Connection } from '../../packages/kube-apiserver/dist/testing/bench/load/http2-connection.js';
import { connectAll, percentile, runLoad } from '../../packages/kube-apiserver/dist/testing/bench/load/load.js';

const root = join(import.meta.dirname, '..', '..');
const ROUND_MS = 1_500;
const WARM_UP_MS = 1_000;
const WATCHERS = 200;
const WRITES = 200;
const PATIENCE_MS = 60_000;
const JSON_BODY = { 'content-type': 'application/json' };

/** Load and how it is sent. Higher figures are better, unless `isCost`. */
const WORKS = [
  { name: 'GET, HTTP/2, 64 in flight', protocol: 'h2', inFlight: 64, request: get },
  { name: 'GET, HTTP/1.1, 32 in flight', protocol: 'http/1.1', inFlight: 32, request: get },
  { name: 'LIST 500', protocol: 'h2', inFlight: 4, request: list('?limit=500') },
  { name: 'LIST all', protocol: 'h2', inFlight: 2, request: list('?resourceVersion=0') },
  {
    name: 'LIST with a label selector (10 % match)',
    protocol: 'h2',
    inFlight: 2,
    request: list('?labelSelector=shard%3D3'),
  },
  {
    name: 'LIST with fieldSelector=metadata.name',
    protocol: 'h2',
    inFlight: 8,
    request: list('?fieldSelector=metadata.name%3Dcm-5'),
  },
  { name: 'CREATE, 1 in flight', protocol: 'h2', inFlight: 1, request: create },
  { name: 'CREATE, 64 in flight', protocol: 'h2', inFlight: 64, request: create },
  { name: 'UPDATE, 16 in flight', protocol: 'h2', inFlight: 16, request: update },
  { name: 'APPLY, 16 in flight', protocol: 'h2', inFlight: 16, request: apply },
];

export async function compareServers(args, print) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      objects: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '3' },
      pids: { type: 'string', default: '' },
      'etcd-servers': { type: 'string' },
    },
  });
  const [url, token] = positionals;
  if (url === undefined || token === undefined || !URL.canParse(url)) {
    throw new Error('Cannot compare: pass --compare URL TOKEN of an API server, such as https://127.0.0.1:6443 TOKEN');
  }
  const { hostname, port } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'pintle-bench-'));
  const pintle = await startPintle(folder, values['etcd-servers']);
  const theirs = new Server({ host: hostname, port: Number(port || 443) }, token);
  try {
    await compare([pintle.server, theirs], { ...values, pids: [[pintle.pid], pidsOf(values.pids)] }, print);
  } finally {
    await theirs.close();
    await pintle.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(servers, { objects, rounds, pids }, print) {
  print(`${'work'.padEnd(44)} ${'pintle'.padStart(10)} ${'other'.padStart(10)}   ratio (lowest–highest of ${rounds})`);
  const filled = [];
  for (const server of servers) filled.push(await server.fill(Number(objects)));
  printLine(print, 'CREATE, 64 in flight, first thousand', ...filled.map(({ first }) => [first]));
  for (const work of WORKS) {
    const found = servers.map(() => []);
    for (let round = 0; round < Number(rounds); round++) {
      for (const [index, server] of servers.entries()) found[index].push(await server.measure(work));
    }
    printLine(print, work.name, ...found);
  }
  const fanned = servers.map(() => []);
  for (let round = 0; round < Number(rounds); round++) {
    for (const [index, server] of servers.entries()) fanned[index].push(await server.fanOut());
  }
  printLine(
    print,
    `watch, ${WATCHERS} watchers with a selector, events/s`,
    ...fanned.map((all) => all.map((one) => one.perSecond)),
  );
  printLine(
    print,
    `watch, ${WATCHERS} watchers with a selector, p99 ms`,
    ...fanned.map((all) => all.map((one) => one.p99Ms)),
  );
  if (pids[1].length > 0)
    printLine(print, `memory with ${objects} objects, MB`, ...pids.map((all) => [residentMb(all)]));
}

function printLine(print, name, ours, theirs) {
  const ratios = ours.map((figure, round) => figure / theirs[round]).sort((a, b) => a - b);
  const shown = (figures) =>
    median(figures)
      .toFixed(median(figures) < 100 ? 1 : 0)
      .padStart(10);
  const range = `${ratios[0].toFixed(2)}–${ratios.at(-1).toFixed(2)}`;
  print(`${name.padEnd(44)} ${shown(ours)} ${shown(theirs)}   ${median(ratios).toFixed(2)} × (${range})`);
}

function median(figures) {
  return [...figures].sort((a, b) => a - b)[figures.length >> 1];
}

/** One API server under load. */
class Server {
  #target;
  #headers;
  #namespace = `pintle-bench-${randomBytes(4).toString('hex')}`;
  #count = 0;

  constructor(target, token) {
    this.#target = target;
    this.#headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  }

  get path() {
    return `/api/v1/namespaces/${this.#namespace}/configmaps`;
  }

  next() {
    return this.#count++;
  }

  /** Creates the namespace and that many ConfigMaps in it. Returns the rate of the first thousand. */
  async fill(objects) {
    await this.#once({
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: JSON_BODY,
      body: bodyOf({ metadata: { name: this.#namespace } }),
    });
    await this.#settled();
    let made = 0;
    const connections = await connectAll(this.#target, 'h2', 64);
    const createTo = (end) => async (connection) => {
      while (made < end) await this.#send(connection, { ...create(this), body: bodyOf(configMap(made++)) });
    };
    const all = async (end) => {
      const began = performance.now();
      const count = end - made;
      await Promise.all(connections.flatMap((one) => Array.from({ length: one.streams }, () => createTo(end)(one))));
      return (count / (performance.now() - began)) * 1000;
    };
    const first = await all(Math.min(1_000, objects));
    await all(objects);
    for (const connection of connections) connection.close();
    return { first };
  }

  /** Returns requests per second. */
  async measure({ protocol, inFlight, request }) {
    const connections = await connectAll(this.#target, protocol, inFlight);
    const next = () => this.#withHeaders(request(this));
    await runLoad(connections, WARM_UP_MS, next);
    const { perSecond } = await runLoad(connections, ROUND_MS, next);
    for (const connection of connections) connection.close();
    return perSecond;
  }

  /** Creates objects that all watchers select, each watcher on a connection of its own. */
  async fanOut() {
    const fan = `fan-${this.next()}`;
    const latencies = [];
    const sentAt = [];
    const watchers = await Promise.all(Array.from({ length: WATCHERS }, () => this.#watch(fan, sentAt, latencies)));
    const writer = await Http2Connection.open(this.#target, 1);
    const began = performance.now();
    for (let i = 0; i < WRITES; i++) {
      sentAt.push(performance.now());
      const object = { metadata: { name: `${fan}-${i}`, labels: { fan } }, data: { a: 'b'.repeat(800) } };
      await this.#send(writer, { method: 'POST', path: this.path, headers: JSON_BODY, body: bodyOf(object) });
    }
    const total = WATCHERS * WRITES;
    while (latencies.length < total && performance.now() < began + PATIENCE_MS) await sleep(2);
    const seconds = (performance.now() - began) / 1000;
    for (const connection of [writer, ...watchers]) connection.close();
    if (latencies.length < total)
      throw new Error(`Cannot measure watches: ${latencies.length} of ${total} events came`);
    return {
      perSecond: latencies.length / seconds,
      p99Ms: percentile(
        latencies.sort((a, b) => a - b),
        0.99,
      ),
    };
  }

  async #watch(fan, sentAt, latencies) {
    const connection = await Http2Connection.open(this.#target, 1);
    const query = 'watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
    const path = `${this.path}?${query}&labelSelector=fan%3D${fan}`;
    let seen = 0;
    await new Promise((resolve, reject) => {
      const onData = (bytes) => {
        const now = performance.now();
        for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1))
          latencies.push(now - sentAt[seen++]);
      };
      connection.send(this.#withHeaders({ method: 'GET', path }), { onData, onHead: resolve }).catch(reject);
    });
    return connection;
  }

  /** Waits for the objects that controllers put into a new namespace. */
  async #settled() {
    await sleep(1_000);
  }

  async #once(request) {
    const connection = await Http2Connection.open(this.#target, 1);
    try {
      await this.#send(connection, request);
    } finally {
      connection.close();
    }
  }

  async #send(connection, request) {
    const { status } = await connection.send(this.#withHeaders(request));
    if (status < 200 || status > 299)
      throw new Error(`Cannot ${request.method} ${request.path}: the server answered ${status}`);
  }

  #withHeaders(request) {
    return { ...request, headers: { ...this.#headers, ...request.headers } };
  }

  async close() {
    await this.#once({ method: 'DELETE', path: `/api/v1/namespaces/${this.#namespace}` }).catch(() => undefined);
  }
}

function get(server) {
  return { method: 'GET', path: `${server.path}/cm-5` };
}

function list(query) {
  return (server) => ({ method: 'GET', path: `${server.path}${query}` });
}

function create(server) {
  return { method: 'POST', path: server.path, headers: JSON_BODY, body: bodyOf(configMap(`x-${server.next()}`)) };
}

function update(server) {
  const number = 10 + (server.next() % 500);
  const object = { ...configMap(number), data: { a: `${server.next()}`.padEnd(500, 'b'), b: 'c'.repeat(100) } };
  return { method: 'PUT', path: `${server.path}/cm-${number}`, headers: JSON_BODY, body: bodyOf(object) };
}

function apply(server) {
  const number = 510 + (server.next() % 100);
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `cm-${number}` },
    data: { applied: `${server.next()}` },
  };
  return {
    method: 'PATCH',
    path: `${server.path}/cm-${number}?fieldManager=bench&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: bodyOf(object),
  };
}

/** A ConfigMap of about 1.2 KB as servers return it. */
function configMap(number) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `cm-${number}`,
      labels: { app: 'bench', ...(typeof number === 'number' && { shard: `${number % 10}` }) },
      annotations: { note: 'x'.repeat(100) },
    },
    data: { a: 'b'.repeat(500), b: 'c'.repeat(100) },
  };
}

function bodyOf(object) {
  return Buffer.from(JSON.stringify(object));
}

/** Starts `pintle up` on a durable store, with its controllers, as users run it. */
async function startPintle(folder, etcdServers) {
  const token = randomBytes(24).toString('hex');
  const tokens = join(folder, 'tokens.csv');
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(tokens, `${token},bench,bench,"system:masters"\n`, { mode: 0o600 });
  const args = [
    'up',
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
    '--kubeconfig',
    kubeconfig,
    '--token-auth-file',
    tokens,
    ...(etcdServers === undefined
      ? []
      : ['--etcd-servers', etcdServers, '--etcd-prefix', `/bench-${randomBytes(4).toString('hex')}`]),
  ];
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=32', join(root, 'packages/cli/dist/main.js'), ...args],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new Error(`Cannot start pintle: it exited with ${child.exitCode}`);
    await sleep(20);
  }
  const port = Number(/server: https:\/\/[^\n]*:(\d+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1]);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { server: new Server({ port }, token), pid: child.pid, stop };
}

function pidsOf(text) {
  return text.split(',').filter(Boolean).map(Number);
}

/** Resident memory of processes, on Linux. */
function residentMb(pids) {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}
