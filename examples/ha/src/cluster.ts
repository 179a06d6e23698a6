import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { Balancer } from './balancer.ts';

const MAIN = createRequire(import.meta.url)
  .resolve('@pintle/cli/package.json')
  .replace('package.json', 'bin/pintle.js');
const START_MS = 60_000;
const KINDS = ['etcd', 'server', 'controllers'] as const;
const COUNTS = { etcd: 3, server: 3, controllers: 2 } as const;

export type Kind = (typeof KINDS)[number];

interface Member {
  readonly name: string;
  readonly command: readonly string[];
  process: ChildProcess | undefined;
}

/** Three members of etcd, three API servers behind a balancer, and two controller managers, each a process on loopback. */
export class Cluster {
  readonly kubeconfig: string;
  readonly #folder: string;
  readonly #balancer: Balancer;
  readonly #members: Readonly<Record<Kind, readonly Member[]>>;
  readonly #etcd: readonly string[];

  static async start(
    folder: string,
    { etcd, port }: { readonly etcd: string; readonly port: number },
  ): Promise<Cluster> {
    mkdirSync(folder, { recursive: true });
    const ports = await freePorts(2 * COUNTS.etcd + COUNTS.server);
    const [clients, peers] = [ports.slice(0, COUNTS.etcd), ports.slice(COUNTS.etcd, 2 * COUNTS.etcd)];
    const servers = ports.slice(2 * COUNTS.etcd);
    const balancer = await Balancer.listen(port, servers);
    await writeCredentials(folder, balancer.port);
    const cluster = new Cluster(folder, balancer, etcd, { clients, peers, servers });
    await cluster.#startAll('etcd');
    await until('etcd', async () => (await fetch(`${cluster.#etcd[0]}/health`)).ok);
    await cluster.#startAll('server');
    await until('the API servers', async () => (await Promise.all(servers.map(isListening))).every(Boolean));
    await cluster.#startAll('controllers');
    return cluster;
  }

  private constructor(
    folder: string,
    balancer: Balancer,
    etcd: string,
    ports: {
      readonly clients: readonly number[];
      readonly peers: readonly number[];
      readonly servers: readonly number[];
    },
  ) {
    this.#folder = folder;
    this.#balancer = balancer;
    this.kubeconfig = join(folder, 'kubeconfig');
    this.#etcd = ports.clients.map((client) => `http://127.0.0.1:${client}`);
    const peers = ports.peers.map((peer) => `http://127.0.0.1:${peer}`);
    const cluster = peers.map((peer, index) => `etcd-${index + 1}=${peer}`).join(',');
    this.#members = {
      etcd: peers.map((peer, index) =>
        this.#member('etcd', index, [
          etcd,
          `--name=etcd-${index + 1}`,
          `--data-dir=${join(folder, `etcd-${index + 1}`)}`,
          `--listen-client-urls=${this.#etcd[index]}`,
          `--advertise-client-urls=${this.#etcd[index]}`,
          `--listen-peer-urls=${peer}`,
          `--initial-advertise-peer-urls=${peer}`,
          `--initial-cluster=${cluster}`,
          '--log-level=error',
        ]),
      ),
      server: ports.servers.map((server, index) => this.#member('server', index, this.#serverCommand(server, index))),
      controllers: [0, 1].map((index) =>
        this.#member('controllers', index, [
          ...[process.execPath, MAIN, 'controller-manager', `--kubeconfig=${this.kubeconfig}`],
          `--service-account-private-key-file=${join(folder, 'sa.key')}`,
        ]),
      ),
    };
  }

  #serverCommand(port: number, index: number): string[] {
    const path = (name: string) => join(this.#folder, name);
    return [
      ...[process.execPath, MAIN, 'apiserver', `--secure-port=${port}`, `--etcd-servers=${this.#etcd.join(',')}`],
      `--cert-dir=${path(`server-${index + 1}`)}`,
      // Addresses of machines that do not exist: each server has one of its own.
      `--advertise-address=192.0.2.${index + 1}`,
      `--tls-cert-file=${path('server.crt')}`,
      `--tls-private-key-file=${path('server.key')}`,
      `--token-auth-file=${path('tokens.csv')}`,
      `--encryption-provider-config=${path('encryption.json')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${path('sa.key')}`,
      `--service-account-key-file=${path('sa.pub')}`,
    ];
  }

  get port(): number {
    return this.#balancer.port;
  }

  /** Describes what runs. */
  get status(): string {
    const running = KINDS.flatMap((kind) => this.#members[kind]).map(
      (member) => `${member.name} ${isRunning(member) ? 'runs' : 'is stopped'}`,
    );
    return running.join(', ');
  }

  /** Kills a process as a crash would. Resolves once it is gone. */
  async kill(kind: Kind, number: number): Promise<void> {
    await this.#stop(this.#find(kind, number), 'SIGKILL');
  }

  /** Stops a process as an upgrade would: it finishes its requests. */
  async stop(kind: Kind, number: number): Promise<void> {
    await this.#stop(this.#find(kind, number), 'SIGTERM');
  }

  start(kind: Kind, number: number): void {
    this.#run(this.#find(kind, number));
  }

  async close(): Promise<void> {
    for (const kind of KINDS.toReversed())
      await Promise.all(
        this.#members[kind].map((member) => this.#stop(member, kind === 'etcd' ? 'SIGKILL' : 'SIGTERM')),
      );
    await this.#balancer.close();
  }

  #find(kind: Kind, number: number): Member {
    const member = this.#members[kind]?.[number - 1];
    if (member === undefined) throw new Error(`Cannot find ${kind} ${number}: there are ${COUNTS[kind] ?? 'none'}`);
    return member;
  }

  #member(kind: Kind, index: number, command: readonly string[]): Member {
    return { name: `${kind} ${index + 1}`, command, process: undefined };
  }

  async #startAll(kind: Kind): Promise<void> {
    for (const member of this.#members[kind]) this.#run(member);
  }

  #run(member: Member): void {
    if (isRunning(member)) return;
    const log = openSync(join(this.#folder, `${member.name.replace(' ', '-')}.log`), 'a');
    const [command = '', ...args] = member.command;
    member.process = spawn(command, args, { stdio: ['ignore', log, log] });
    closeSync(log);
  }

  async #stop(member: Member, signal: NodeJS.Signals): Promise<void> {
    if (!isRunning(member)) return;
    const exit = once(member.process!, 'exit');
    member.process!.kill(signal);
    await exit;
  }
}

function isRunning({ process }: Member): boolean {
  return process !== undefined && process.exitCode === null && process.signalCode === null;
}

/** Writes what the servers share: a certificate, keys of service accounts, a key of Secrets, and the token of the administrator. */
async function writeCredentials(folder: string, port: number): Promise<void> {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  const nowMs = Date.now();
  const authority = await createAuthority('ha-ca', 30, nowMs);
  const hosts = ['127.0.0.1', 'localhost'];
  const server = await issueCertificate(authority, { commonName: 'server', usage: 'server', hosts, days: 30 }, nowMs);
  write('server.crt', server.certificate);
  write('server.key', server.privateKey);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  write('sa.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  write('sa.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  const token = randomBytes(24).toString('base64url');
  write('tokens.csv', `${token},admin,admin,"system:masters"\n`);
  const providers = [{ aesgcm: { keys: [{ name: 'key1', secret: randomBytes(32).toString('base64') }] } }];
  const resources = [{ resources: ['secrets'], providers }];
  write(
    'encryption.json',
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources }),
  );
  const ca = Buffer.from(authority.certificate).toString('base64');
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'ha', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'ha', context: { cluster: 'ha', user: 'admin' } }],
    'current-context': 'ha',
  };
  write('kubeconfig', JSON.stringify(kubeconfig));
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  return await once(socket, 'connect').then(
    () => {
      socket.destroy();
      return true;
    },
    () => false,
  );
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100))
    if (await isTrue().catch(() => false)) return;
  throw new Error(`Cannot start: ${what} did not answer within ${START_MS / 1000} s`);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
