// An etcd, a kube-apiserver and servers of Pintle on it, as processes on loopback, and a client of both.
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.mjs';

const root = join(import.meta.dirname, '..', '..');
const TOKEN = 'exchange';
const START_MS = 120_000;

/** Starts and stops the processes of one run. Their logs stay in its folder. */
export class Servers {
  #folder;
  #running = [];
  etcd = '';

  constructor(folder) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.path('tokens.csv'), `${TOKEN},admin,admin,"system:masters"\n`);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(this.path('sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    writeFileSync(this.path('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  }

  path(name) {
    return join(this.#folder, name);
  }

  async startEtcd() {
    const binary = execFileSync(process.execPath, [join(root, 'scripts', 'etcd.mjs')], { encoding: 'utf8' }).trim();
    const [client, peer] = await Promise.all([freePort(), freePort()]);
    const [endpoint, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    this.#spawn('etcd', binary, [
      `--data-dir=${this.path('etcd-data')}`,
      '--unsafe-no-fsync',
      '--log-level=error',
      `--listen-client-urls=${endpoint}`,
      `--advertise-client-urls=${endpoint}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
    ]);
    await until('etcd', () => fetch(`${endpoint}/health`).then(({ ok }) => ok));
    this.etcd = endpoint;
  }

  /** Writes bytes at a key of etcd. */
  async putRaw(key, value) {
    const body = JSON.stringify({ key: Buffer.from(key).toString('base64'), value: value.toString('base64') });
    const { ok, status } = await fetch(`${this.etcd}/v3/kv/put`, { method: 'POST', body });
    if (!ok) throw new Error(`exchange: etcd answered ${status}`);
  }

  /** Returns all keys below a prefix with their values. */
  async readRaw(prefix) {
    const end = Buffer.from(prefix);
    end[end.length - 1] += 1;
    const range = { key: Buffer.from(prefix).toString('base64'), range_end: end.toString('base64') };
    const answer = await fetch(`${this.etcd}/v3/kv/range`, { method: 'POST', body: JSON.stringify(range) });
    const { kvs = [] } = await answer.json();
    const decode = (text = '') => Buffer.from(text, 'base64');
    return new Map(kvs.map(({ key, value }) => [decode(key).toString(), decode(value)]));
  }

  async startKube(binary, { prefix, address }) {
    const port = await freePort();
    const flags = {
      'etcd-servers': this.etcd,
      'etcd-prefix': prefix,
      'secure-port': port,
      'bind-address': '127.0.0.1',
      'advertise-address': address,
      'cert-dir': this.path(`kube-${port}`),
      'token-auth-file': this.path('tokens.csv'),
      'authorization-mode': 'RBAC',
      'service-cluster-ip-range': '10.0.0.0/24',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': this.path('sa.pub'),
      'service-account-signing-key-file': this.path('sa.key'),
      'runtime-config': 'api/all=true',
      'disable-admission-plugins': 'ServiceAccount',
      'allow-privileged': 'true',
    };
    const child = this.#spawn(`kube-apiserver-${port}`, binary, flagsOf(flags));
    return await this.#ready(new Api('kube-apiserver', port, child));
  }

  async startPintle({ prefix, address }) {
    const port = await freePort();
    const flags = {
      'etcd-servers': this.etcd,
      'etcd-prefix': prefix,
      'secure-port': port,
      'advertise-address': address,
      'cert-dir': this.path(`pintle-${port}`),
      'token-auth-file': this.path('tokens.csv'),
      'service-cluster-ip-range': '10.0.0.0/24',
      'service-account-issuer': 'https://kubernetes.default.svc',
      'service-account-key-file': this.path('sa.pub'),
      'service-account-signing-key-file': this.path('sa.key'),
      'disable-admission-plugins': 'ServiceAccount',
    };
    const main = join(root, 'packages', 'cli', 'dist', 'main.js');
    const child = this.#spawn(`pintle-${port}`, process.execPath, [main, 'apiserver', ...flagsOf(flags)]);
    return await this.#ready(new Api('pintle', port, child));
  }

  /** Starts the controllers of a program against a server. */
  startControllers(name, command, flags, server) {
    const kubeconfig = this.path(`${name}.kubeconfig`);
    const cluster = { server: `https://127.0.0.1:${server.port}`, 'insecure-skip-tls-verify': true };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: TOKEN } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'c',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    return this.#spawn(name, command[0], [...command.slice(1), `--kubeconfig=${kubeconfig}`, ...flags]);
  }

  pintleCommand(...args) {
    return [process.execPath, join(root, 'packages', 'cli', 'dist', 'main.js'), ...args];
  }

  async stop(child) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await exit;
    clearTimeout(timer);
  }

  async stopAll() {
    for (const child of this.#running.toReversed()) await this.stop(child);
  }

  #spawn(name, command, args) {
    const log = createWriteStream(this.path(`${name}.log`));
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    child.logFile = this.path(`${name}.log`);
    this.#running.push(child);
    return child;
  }

  async #ready(api) {
    await until(`${api.name} (${api.process.logFile})`, async () => {
      if (api.process.exitCode !== null) throw new Error(`exchange: ${api.name} has ended: ${api.process.logFile}`);
      return (await api.send('GET', '/readyz')).status === 200;
    });
    return api;
  }
}

/** A client of one server, with all rights. */
export class Api {
  name;
  port;
  process;
  #agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 16 });

  constructor(name, port, child) {
    this.name = name;
    this.port = port;
    this.process = child;
  }

  async send(method, path, body, type = 'application/json') {
    const response = await this.#open(method, path, body, type);
    let text = '';
    response.setEncoding('utf8');
    for await (const chunk of response) text += chunk;
    const isJson = response.headers['content-type']?.startsWith('application/json');
    return { status: response.statusCode, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Yields the events of a watch until `signal` aborts or the server ends it. */
  async *watch(path, signal) {
    const response = await this.#open('GET', path, undefined, undefined, signal);
    if (response.statusCode !== 200)
      throw new Error(`exchange: ${this.name} answered ${response.statusCode} to ${path}`);
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop();
      for (const line of lines) yield JSON.parse(line);
    }
  }

  #open(method, path, body, type, signal) {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json' };
      if (body !== undefined) headers['content-type'] = type;
      const options = { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers, signal };
      const sent = request(options, resolve).on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function flagsOf(flags) {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

export async function until(what, isTrue, timeoutMs = START_MS) {
  let problem;
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(100)) {
    try {
      if (await isTrue()) return;
    } catch (error) {
      if (error.message.startsWith('exchange:')) throw error;
      problem = error;
    }
  }
  throw new Error(`exchange: waited in vain for ${what}`, { cause: problem });
}
