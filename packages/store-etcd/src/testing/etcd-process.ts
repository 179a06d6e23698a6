import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import { Endpoint, type TlsOptions } from '../rpc/endpoint.ts';
import { STATUS } from '../rpc/methods.ts';

export interface EtcdOptions {
  readonly binary: string;
  readonly members?: number;
  readonly flags?: readonly string[];
  /** TLS options of clients, which present a certificate; the flags have the files. */
  readonly tls?: TlsOptions;
}

interface Member {
  readonly name: string;
  readonly clientPort: number;
  readonly peerPort: number;
  process: ChildProcess | undefined;
}

const READY_MS = 30_000;

/** A real etcd of one member or several, on loopback, in a temporary folder. */
export class EtcdProcess implements AsyncDisposable {
  readonly #options: EtcdOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'pintle-etcd-'));
  readonly #members: readonly Member[];

  static async start(options: EtcdOptions): Promise<EtcdProcess> {
    const ports = await freePorts(2 * (options.members ?? 1));
    const members = Array.from({ length: options.members ?? 1 }, (_, index): Member => {
      const [clientPort, peerPort] = [ports[2 * index]!, ports[2 * index + 1]!];
      return { name: `m${index}`, clientPort, peerPort, process: undefined };
    });
    const etcd = new EtcdProcess(options, members);
    try {
      for (const index of members.keys()) etcd.startMember(index);
      await Promise.all([...members.keys()].map((index) => etcd.ready(index)));
      return etcd;
    } catch (error) {
      await etcd[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: EtcdOptions, members: readonly Member[]) {
    this.#options = options;
    this.#members = members;
  }

  get endpoints(): readonly string[] {
    return this.#members.map(({ clientPort }) => `${this.#scheme}://127.0.0.1:${clientPort}`);
  }

  get #scheme(): string {
    return this.#options.tls === undefined ? 'http' : 'https';
  }

  get ports(): readonly number[] {
    return this.#members.map(({ clientPort }) => clientPort);
  }

  startMember(index: number): void {
    const member = this.#members[index]!;
    const client = `${this.#scheme}://127.0.0.1:${member.clientPort}`;
    const peer = `http://127.0.0.1:${member.peerPort}`;
    const cluster = this.#members.map(({ name, peerPort }) => `${name}=http://127.0.0.1:${peerPort}`).join(',');
    const flags = {
      name: member.name,
      'data-dir': join(this.#folder, member.name),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': cluster,
      'heartbeat-interval': '50',
      'election-timeout': '500',
      'log-level': 'fatal',
      'unsafe-no-fsync': 'true',
    };
    member.process = spawn(
      this.#options.binary,
      [...Object.entries(flags).map(([name, value]) => `--${name}=${value}`), ...(this.#options.flags ?? [])],
      { stdio: 'ignore' },
    );
  }

  /** Resolves once the member knows a leader. */
  async ready(index: number): Promise<void> {
    let problem: unknown;
    for (const end = realClock.monotonic() + READY_MS; realClock.monotonic() < end; ) {
      const status = await this.status(index).catch((error: unknown) => {
        problem = error;
        return undefined;
      });
      if (status !== undefined && status.leader !== 0n) return;
      if (this.#members[index]!.process?.exitCode != null) throw new Error('Cannot test on etcd: it has ended');
      await realClock.sleep(20);
    }
    throw new Error('Cannot test on etcd: it is not ready', { cause: problem });
  }

  async status(index: number) {
    const endpoint = new Endpoint(`127.0.0.1:${this.#members[index]!.clientPort}`, {
      clock: realClock,
      tls: this.#options.tls,
    });
    try {
      return await endpoint.call(STATUS, STATUS.encode({}), { timeoutMs: 1000, failFast: true });
    } finally {
      endpoint.close();
    }
  }

  /** Returns the index of the leader. */
  async leader(): Promise<number> {
    for (;;) {
      for (const index of this.#members.keys()) {
        const status = await this.status(index).catch(() => undefined);
        if (status !== undefined && status.leader === status.header.memberId) return index;
      }
      await realClock.sleep(20);
    }
  }

  /** Sends a signal to a member, such as SIGSTOP. */
  signal(index: number, signal: NodeJS.Signals): void {
    this.#members[index]!.process?.kill(signal);
  }

  /** Stops a member until SIGCONT. Resolves once it does not answer, because a signal takes a moment to arrive. */
  async pause(index: number): Promise<void> {
    this.signal(index, 'SIGSTOP');
    const answers = () =>
      this.status(index).then(
        () => true,
        () => false,
      );
    while (await answers()) await realClock.sleep(5);
  }

  /** Kills a member; its data stay. */
  async kill(index: number): Promise<void> {
    const { process } = this.#members[index]!;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const exit = once(process, 'exit');
    process.kill('SIGKILL');
    await exit;
  }

  /** Deletes the data of a member that was killed. */
  wipe(index: number): void {
    rmSync(join(this.#folder, this.#members[index]!.name), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members.keys()].map((index) => this.kill(index)));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
