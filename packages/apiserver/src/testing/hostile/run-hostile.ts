import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { realClock, SeededRandom } from '@pintle/async';
import { Draw } from './draw.ts';
import type { ServerReady, ServerReport } from './protocol.ts';
import { TOKEN } from './protocol.ts';
import type { HostileRequest } from './requests.ts';
import { hostileBytes, hostileFrames, hostileRequest } from './requests.ts';

export interface HostileOptions {
  readonly seed: number;
  readonly count: number;
  /** The built `server-process.js`. */
  readonly serverProcess: string;
  readonly onProgress?: (done: number) => void;
}

export interface HostileResult {
  readonly seed: number;
  readonly count: number;
  /** How often each status came; 0: the connection ended without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that got an answer no client should get, by what it said; at most one sample of each. */
  readonly failures: Readonly<Record<string, { readonly times: number; readonly sample: string }>>;
  readonly server: ServerReport;
}

const WORKERS = 12;
const RAW_SHARE = 0.05;
const RAW_WAIT_MS = 30;
const WATCH_WAIT_MS = 20;
const ANSWER_WAIT_MS = 20_000;

/** Sends `count` requests made from the seed and gives what came of it. Throws when the server dies. */
export async function runHostile(options: HostileOptions): Promise<HostileResult> {
  const child = fork(options.serverProcess, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const died = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The server died with ${signal ?? code} (seed ${options.seed})`);
  });
  died.catch(() => {});
  try {
    const [ready] = (await Promise.race([once(child, 'message'), died])) as [ServerReady];
    const attack = new Attack(options, ready);
    await Promise.race([attack.run(), died]);
    child.send('report');
    const [server] = (await Promise.race([once(child, 'message'), died])) as [ServerReport];
    return { seed: options.seed, count: options.count, ...attack.result(), server };
  } finally {
    child.kill();
  }
}

class Attack {
  readonly #options: HostileOptions;
  readonly #target: ServerReady;
  readonly #agent: Agent;
  readonly #statuses: Record<string, number> = {};
  readonly #failures: Record<string, { times: number; sample: string }> = {};
  #next = 0;

  constructor(options: HostileOptions, target: ServerReady) {
    this.#options = options;
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ca: target.authority, maxSockets: WORKERS });
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
    this.#agent.destroy();
  }

  result(): Pick<HostileResult, 'statuses' | 'failures'> {
    return { statuses: this.#statuses, failures: this.#failures };
  }

  async #work(): Promise<void> {
    const random = new SeededRandom(this.#options.seed);
    while (this.#next < this.#options.count) {
      const index = this.#next++;
      if (index % 1000 === 0) this.#options.onProgress?.(index);
      const draw = new Draw(random.fork(String(index)));
      if (draw.isLucky(RAW_SHARE)) await this.#sendRaw(draw);
      else await this.#send(hostileRequest(draw), draw);
    }
  }

  async #send(hostile: HostileRequest, draw: Draw): Promise<void> {
    const { status, text } = await this.#exchange(hostile, draw);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (isMeant(status, text, hostile)) return;
    const key = `${status} ${text.slice(0, 160)}`;
    const failure = this.#failures[key] ?? { times: 0, sample: describe(hostile) };
    failure.times++;
    this.#failures[key] = failure;
  }

  #exchange({ method, target, headers, body }: HostileRequest, draw: Draw): Promise<{ status: number; text: string }> {
    const authorization = draw.isLucky(0.97) ? `Bearer ${TOKEN}` : draw.from(['Bearer x', 'Basic x', 'Bearer ', '']);
    return new Promise((resolve) => {
      const sent = request({
        host: '127.0.0.1',
        port: this.#target.port,
        agent: this.#agent,
        method,
        path: target,
        headers: { ...headers, ...(authorization && { authorization }), 'content-length': body?.length ?? 0 },
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
      sent.end(body);
    });
  }

  async #sendRaw(draw: Draw): Promise<void> {
    const isHttp2 = draw.isLucky(0.4);
    const bytes = isHttp2 ? hostileFrames(draw) : hostileBytes(draw);
    const protocol = isHttp2 ? 'h2' : 'http/1.1';
    const { port, authority } = this.#target;
    const socket = connect({ port, host: '127.0.0.1', ca: authority, ALPNProtocols: [protocol] });
    socket.on('error', () => {});
    socket.on('secureConnect', () => socket.write(bytes));
    socket.resume();
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await Promise.race([closed, realClock.sleep(RAW_WAIT_MS)]);
    socket.destroy();
  }
}

/** The body; of a watch, what comes at once. */
async function readBriefly(response: IncomingMessage): Promise<string> {
  const isStream =
    response.headers['transfer-encoding'] === 'chunked' && response.headers['content-encoding'] === undefined;
  const timer = isStream ? realClock.setTimer(WATCH_WAIT_MS, () => response.destroy()) : undefined;
  let text = '';
  try {
    for await (const chunk of response) if (text.length < 10_000) text += chunk;
  } catch {
    // The stream was left, or the server ended it.
  }
  timer?.cancel();
  return text;
}

/** What Kubernetes too answers with a 500, and clients know by these words: versions and strategic patches that make no sense. */
const MEANT = [
  'resourceVersion: Invalid value',
  'strconv.ParseUint',
  'unable to find api field in struct',
  'does not contain declared merge key',
  'list element types are not identical',
  'unknown patch type',
  'resourceVersion should not be set on objects to be created',
  'failed to create typed patch object',
  'no preferred addresses found',
  'failed to create RequestInfo: unable to determine kind and namespace from url',
];

/** Who asks this with HEAD is told the last of these without its words. */
const SAYS_NOTHING = /^\/apis?\/(?:[^/]+\/){1,2}(?:watch|proxy)\/*(?:\?|$)/;

/** Server errors are for servers in trouble. A deadline that passed and a history not yet reached are none. */
function isMeant(status: number, text: string, { method, target, body }: HostileRequest): boolean {
  if (status === 0) return (body?.length ?? 0) > 1_000_000 || /socket hang up|ECONNRESET|EPIPE/.test(text) === false;
  if (status === 504) return true;
  // Kubernetes says so too, and it is recorded.
  if (status === 500 && MEANT.some((words) => text.includes(words))) return true;
  if (status === 500 && method === 'HEAD' && SAYS_NOTHING.test(target)) return true;
  return status > 0 && status < 500;
}

function describe({ method, target, headers, body }: HostileRequest): string {
  const shown = body === undefined ? '' : ` ${JSON.stringify(body.toString('latin1').slice(0, 300))}`;
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}${shown}`;
}
