import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import type { Protocol, Target } from './load/connection.ts';
import type { Order, StartMessage, Usage } from './protocol.ts';

/** The server under test and the baseline, each in its own process, with the means to call them. */
export class Stage implements AsyncDisposable {
  #server: ChildProcess;
  readonly #bare: ChildProcess;
  #target: Target;
  readonly #start: StartMessage;
  readonly #authority: KeyPair;
  readonly #barePorts: Readonly<Record<Protocol, number>>;
  readonly folder: string;

  private constructor(
    server: ChildProcess,
    bare: ChildProcess,
    target: Target,
    barePorts: Readonly<Record<Protocol, number>>,
    folder: string,
    start: StartMessage,
    authority: KeyPair,
  ) {
    this.#server = server;
    this.#bare = bare;
    this.#target = target;
    this.#barePorts = barePorts;
    this.folder = folder;
    this.#start = start;
    this.#authority = authority;
  }

  /** `durable`: objects are stored in LMDB, as `pintle up` does, instead of memory. */
  static async open({ durable = false } = {}): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), 'pintle-bench-'));
    const now = Date.now();
    const authority = await createAuthority('bench', 1, now);
    const pair = await issueCertificate(
      authority,
      { commonName: 'server', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
      now,
    );
    const client = await issueCertificate(
      authority,
      { commonName: 'bench', organizations: ['system:masters'], usage: 'client', days: 1 },
      now,
    );
    const start: StartMessage = {
      pair,
      clientCa: authority.certificate,
      auditLog: join(folder, 'audit.log'),
      ...(durable && { folder: join(folder, 'store') }),
    };
    const [server, { port }] = await launch('./server-process.js', start);
    const [bare, ports] = await launch('./bare-process.js', start);
    const target = { port, authority: authority.certificate, client };
    return new Stage(server, bare, target, { 'http/1.1': ports.port, h2: ports.http2Port! }, folder, start, authority);
  }

  get target(): Target {
    return this.#target;
  }

  bareTarget(protocol: Protocol): Target {
    return { ...this.#target, port: this.#barePorts[protocol] };
  }

  /** Returns the target with a certificate of a user without groups, for whom roles decide. */
  async targetOf(commonName: string): Promise<Target> {
    const client = await issueCertificate(this.#authority, { commonName, usage: 'client', days: 1 }, Date.now());
    return { ...this.#target, client };
  }

  /** Starts the server again on what it stored, and returns the processor time until it serves. */
  async restart(): Promise<number> {
    await stop(this.#server);
    const [server, { port, startMs = 0 }] = await launch('./server-process.js', this.#start);
    this.#server = server;
    this.#target = { ...this.#target, port };
    return startMs;
  }

  async put(resource: GroupResource, objects: readonly KubernetesObject[]): Promise<void> {
    await send(this.#server, { type: 'put', resource, objects });
  }

  async fill(count: number, prefix = 'filled'): Promise<void> {
    await send(this.#server, { type: 'fill', count, prefix });
  }

  /** Makes the baseline send the response of our server. */
  async copyToBare({ status, body }: Answer): Promise<void> {
    await send(this.#bare, { type: 'serve', status, body });
  }

  async usage(of: 'server' | 'bare' = 'server', { isCollected = true } = {}): Promise<Usage> {
    return await send<Usage>(of === 'server' ? this.#server : this.#bare, { type: 'usage', isCollected });
  }

  /** Sends one request, to prepare a benchmark. */
  async ask(method: string, path: string, body?: object, contentType = 'application/json'): Promise<Answer> {
    const { port, authority, client } = this.#target;
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      ca: authority,
      ...(client && { cert: client.certificate, key: client.privateKey }),
      agent: false,
      headers: { 'content-type': contentType },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    const status = response.statusCode ?? 0;
    if (status > 299) throw new Error(`Cannot ${method} ${path}: ${text}`);
    return { status, body: text };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of [this.#server, this.#bare]) await stop(child);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Ready {
  readonly port: number;
  readonly http2Port?: number;
  /** Processor time until the process served. */
  readonly startMs?: number;
}

async function launch(file: string, start: StartMessage): Promise<[ChildProcess, Ready]> {
  const profile = process.env.PINTLE_BENCH_PROFILE;
  // As `npm start` does: with the default, collecting young garbage takes a sixth of a server's time.
  const execArgv = [
    '--expose-gc',
    '--max-semi-space-size=32',
    ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
  ];
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.send(start);
  const [ready] = (await Promise.race([once(child, 'message'), died(child)])) as [Ready];
  return [child, ready];
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

async function died(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`A process of the bench died with ${signal ?? code}`);
}

async function send<T>(child: ChildProcess, order: Order): Promise<T> {
  child.send(order);
  const [reply] = (await once(child, 'message')) as [T];
  return reply;
}
