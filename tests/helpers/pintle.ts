import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'dist', 'main.js');

/** A `pintle` process. */
export interface Pintle {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  output(): string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

export interface RunningPintle extends Pintle {
  readonly kubeconfig: string;
  readonly client: Client;
}

/** Runs the command of the clone, or the executable that PINTLE_EXECUTABLE names (`npm run check:executable`). */
export function spawnPintle(...args: string[]): Pintle {
  if (!existsSync(MAIN)) throw new Error(`Cannot run pintle: ${MAIN} is not built. Run npm test, which builds it.`);
  const { PINTLE_EXECUTABLE: executable } = process.env;
  const [program, ...words] = executable ? [executable, ...args] : [process.execPath, MAIN, ...args];
  const child = spawn(program!, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return { process: child, output: () => text, exited };
}

/** Waits until a pattern is printed; throws with what was printed instead when the process ends first. */
export async function printed(pintle: Pintle, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const match = pattern.exec(pintle.output());
    if (match !== null) return match;
    const { stdout, stderr } = pintle.process;
    const ended = await Promise.race([
      once(stdout!, 'data').then(() => false),
      once(stderr!, 'data').then(() => false),
      pintle.exited.then(() => true),
    ]);
    if (ended && !pattern.test(pintle.output())) throw new Error(`pintle ended without ${pattern}: ${pintle.output()}`);
  }
}

/** A control plane in a process of its own, ready to be talked to. */
export async function startPintle(...args: string[]): Promise<RunningPintle> {
  const pintle = spawnPintle('up', '--port', '0', ...args);
  const [, kubeconfig = ''] = await printed(pintle, /export KUBECONFIG=(\S+)[\s\S]*Press Ctrl-C to stop/);
  return { ...pintle, kubeconfig, client: new Client(kubeconfig) };
}

/** Ends a process that a test started, and waits until it is gone. */
export async function stopPintle(pintle: Pintle, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
  pintle.process.kill(signal);
  return await pintle.exited;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Speaks HTTP/1.1 as the administrator of a kubeconfig. */
export class Client {
  readonly port: number;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly #agent: Agent;

  constructor(kubeconfig: string) {
    const text = readFileSync(kubeconfig, 'utf8');
    const decoded = (field: string): string =>
      Buffer.from(new RegExp(`${field}: (\\S+)`).exec(text)?.[1] ?? '', 'base64').toString();
    this.port = Number(/server: https:\/\/[^:]+:(\d+)/.exec(text)?.[1]);
    this.tls = {
      ca: decoded('certificate-authority-data'),
      cert: decoded('client-certificate-data'),
      key: decoded('client-key-data'),
    };
    this.#agent = new Agent({ keepAlive: true, ...this.tls });
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, text };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Runs with a folder that is gone afterwards. */
export async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pintle-test-'));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
