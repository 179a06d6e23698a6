import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { realClock } from '@pintle/async';

const ANSWER_WAIT_MS = 30_000;
const STREAM_WAIT_MS = 20;
const MAX_TEXT = 10_000;

/** Who attacks. `admin` is in `system:masters`, `reader` may read objects, `nobody` is known and may do nothing. */
export const TOKENS = {
  admin: 'the-admin-of-the-hostile-test',
  reader: 'the-reader-of-the-hostile-test',
  nobody: 'the-nobody-of-the-hostile-test',
} as const;

const TOKEN_FILE = [
  `${TOKENS.admin},hostile-admin,1,"system:masters"`,
  `${TOKENS.reader},hostile-reader,2,"readers"`,
  `${TOKENS.nobody},hostile-nobody,3,""`,
].join('\n');

export interface PlainRequest {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | object;
  /** Default: the admin's. Empty: none. */
  readonly token?: string;
}

export interface Answer {
  /** 0: the connection ended without an answer; -1: none came in time. */
  readonly status: number;
  /** The beginning of it; of a stream, what comes at once. */
  readonly text: string;
}

/** The server's report about itself after an attack. */
export interface ServerReport {
  /** The longest time the event loop did not turn while this process was computing. */
  readonly longestBusyStallMs: number;
  readonly peakMemoryBytes: number;
  readonly isPrototypeClean: boolean;
}

/** A plain `pintle up` in a process of its own, with everything on that a user has on. */
export class Target implements AsyncDisposable {
  readonly port: number;
  readonly authority: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #agent: Agent;
  readonly #errors: Map<string, number>;
  readonly #died: Promise<never>;

  private constructor(child: ChildProcess, folder: string, ready: { port: number; authority: string }) {
    this.#child = child;
    this.#folder = folder;
    this.port = ready.port;
    this.authority = ready.authority;
    this.#agent = new Agent({ keepAlive: true, ca: ready.authority, maxSockets: 16 });
    this.#errors = new Map();
    this.#died = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`The server died with ${signal ?? code}`);
    });
    this.#died.catch(() => {});
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#noteErrors(text));
  }

  static async open(): Promise<Target> {
    const root = repositoryRoot();
    const folder = await mkdtemp(join(tmpdir(), 'pintle-hostile-'));
    await writeFile(join(folder, 'tokens'), `${TOKEN_FILE}\n`, { mode: 0o600 });
    const kubeconfig = join(folder, 'kubeconfig');
    const child = fork(
      join(root, 'packages/cli/dist/main.js'),
      [
        ...['up', '--port', '0', '--data', join(folder, 'data'), '--kubeconfig', kubeconfig],
        ...['--token-auth-file', join(folder, 'tokens')],
      ],
      {
        execArgv: ['--import', join(root, 'tests/hostile/probe.mjs')],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    await printedReady(child);
    return new Target(child, folder, addressOf(await readFile(kubeconfig, 'utf8')));
  }

  /** Rejects when the server dies. */
  get died(): Promise<never> {
    return this.#died;
  }

  /** The errors that the server logged, with how often. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  /** Stalls are counted from here on. */
  begin(): void {
    this.#child.send('begin');
  }

  async report(): Promise<ServerReport> {
    const answered = once(this.#child, 'message') as Promise<[ServerReport]>;
    this.#child.send('report');
    const [report] = await Promise.race([answered, this.#died]);
    return report;
  }

  /** Sends a request that keeps to HTTP, over HTTP/1.1 on a shared connection. */
  send({ method, target, headers = {}, body, token = TOKENS.admin }: PlainRequest): Promise<Answer> {
    const bytes = toBytes(body);
    return new Promise((resolve) => {
      const sent = request({
        host: '127.0.0.1',
        port: this.port,
        agent: this.#agent,
        method,
        path: target,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
          'content-length': bytes?.length ?? 0,
        },
      });
      const timer = realClock.setTimer(ANSWER_WAIT_MS, () => {
        sent.destroy();
        resolve({ status: -1, text: 'no answer in time' });
      });
      sent.on('error', (error) => {
        timer.cancel();
        resolve({ status: 0, text: error.message });
      });
      sent.on('response', (response) => {
        void readBriefly(response).then((text) => {
          timer.cancel();
          resolve({ status: response.statusCode ?? 0, text });
        });
      });
      sent.end(bytes);
    });
  }

  /** Creates objects; those that are there already stay. */
  async create(...objects: readonly { readonly collection: string; readonly object: object }[]): Promise<void> {
    for (const { collection, object } of objects) {
      const { status, text } = await this.send({ method: 'POST', target: collection, body: object });
      if (status !== 201 && status !== 409) throw new Error(`Cannot prepare ${collection}: ${status} ${text}`);
    }
  }

  /** Stops the server as a person would; gives its exit code or the signal that ended it. */
  async stop(): Promise<number | string> {
    this.#agent.destroy();
    const exited = once(this.#child, 'exit') as Promise<[number | null, string | null]>;
    this.#child.kill('SIGTERM');
    const [code, signal] = await exited;
    return code ?? signal ?? 'nothing';
  }

  get storeFolder(): string {
    return join(this.#folder, 'data', 'store');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await once(this.#child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #noteErrors(text: string): void {
    for (const line of text.split('\n')) {
      if (!line.includes('"level":"error"') && !/^\s+at |^\w*Error:/.test(line)) continue;
      // Random requests delete leases too.
      if (line.includes('Cannot continue leading')) continue;
      const words = line.replace(/"(?:time|auditId|path)":"[^"]*",?/g, '').slice(0, 400);
      this.#errors.set(words, (this.#errors.get(words) ?? 0) + 1);
    }
  }
}

function toBytes(body: PlainRequest['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The tests run from their sources, the command from what was built of them. */
function repositoryRoot(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'packages/cli/dist/main.js'))) return folder;
  }
  throw new Error('Cannot start the server: packages/cli is not built');
}

async function printedReady(child: ChildProcess): Promise<void> {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (printed += text));
  while (!printed.includes('Press Ctrl-C to stop')) {
    const ended = once(child, 'exit').then(() => true);
    const more = once(child.stdout!, 'data').then(() => false);
    if (await Promise.race([ended, more])) throw new Error(`Cannot start the server: ${printed}`);
  }
  for (const stream of [child.stdout, child.stderr]) stream?.removeAllListeners('data');
  child.stdout?.resume();
}

function addressOf(kubeconfig: string): { port: number; authority: string } {
  const [, port = ''] = /server: https:\/\/[^:]+:(\d+)/.exec(kubeconfig) ?? [];
  const [, authority = ''] = /certificate-authority-data: (\S+)/.exec(kubeconfig) ?? [];
  return { port: Number(port), authority: Buffer.from(authority, 'base64').toString() };
}

async function readBriefly(response: IncomingMessage): Promise<string> {
  const isStream =
    response.headers['transfer-encoding'] === 'chunked' && response.headers['content-encoding'] === undefined;
  const timer = isStream ? realClock.setTimer(STREAM_WAIT_MS, () => response.destroy()) : undefined;
  let text = '';
  try {
    for await (const chunk of response) if (text.length < MAX_TEXT) text += chunk;
  } catch {
    // The stream was left, or the server ended it.
  }
  timer?.cancel();
  return text;
}
