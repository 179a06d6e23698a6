import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { realClock } from '@pintle/async';
import { checkProject, compileProject, emitProject, GenerateError, readProject } from '@pintle/generate';
import { Observation } from '../observe/observation.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { checkCluster, clusterEnvironment } from './cluster.ts';
import { OperatorProcess } from './operator-process.ts';

/** Editors write a file in several steps. */
const SETTLE_MS = 40;
/** The next operator is made ready when the one before is at work. */
const STANDBY_MS = 1500;

export interface DevFlags {
  /** A context of the kubeconfig: a cluster that is there, in the place of one that is started. */
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly port: number;
  readonly nodes: number;
  /** What the operator does is written down. */
  readonly observe?: boolean;
}

/** `pintle dev`: a control plane, the operator on it, and the operator anew whenever its code changes. */
export async function dev(flags: DevFlags): Promise<void> {
  const directory = process.cwd();
  readProject(directory);
  const stop = stopSignal();
  const hasCluster = flags.context !== undefined || flags.kubeconfig !== undefined;
  if (hasCluster) await checkCluster(flags);
  const plane = hasCluster ? undefined : await startPlane(directory, flags);
  const observation = flags.observe ? new Observation(directory) : undefined;
  const env = {
    ...observation?.environment,
    ...(plane ? { KUBECONFIG: plane.kubeconfig } : clusterEnvironment(directory, flags)),
    HEALTH_PORT: '0',
    METRICS_PORT: '0',
    WEBHOOK_PORT: '0',
  };
  const loop = new DevLoop(directory, env);
  const watcher = watch(join(directory, 'src'), { recursive: true }, () => loop.changed());
  try {
    await loop.start();
    await Promise.race([stop, ...(plane ? [plane.ended] : [])]);
  } finally {
    watcher.close();
    await loop.close();
    observation?.finish();
    await plane?.stop();
  }
}

/** `pintle run`: the operator, compiled and run once, against the cluster of the kubeconfig. */
export async function runOperator(flags: Pick<DevFlags, 'context' | 'kubeconfig' | 'observe'>): Promise<void> {
  const directory = process.cwd();
  readProject(directory);
  await checkCluster(flags);
  await compileProject(directory);
  const observation = flags.observe ? new Observation(directory) : undefined;
  const env = { ...observation?.environment, ...clusterEnvironment(directory, flags) };
  const operator = new OperatorProcess(directory, env);
  operator.start();
  const stop = stopSignal();
  const code = await Promise.race([operator.exited, stop.then(() => 0)]);
  await operator.stop();
  observation?.finish();
  process.exitCode = code;
}

/**
 * Runs the operator, and runs it anew whenever the code changes.
 *
 *     change ► write JavaScript ► stop the old ► start the one that waits ► look at the types ► have another wait
 */
class DevLoop {
  readonly #directory: string;
  readonly #env: Readonly<Record<string, string>>;
  #operator: OperatorProcess | undefined;
  /** Loaded, and waiting for code to run. */
  #standby: OperatorProcess | undefined;
  #checking = new AbortController();
  #isWaiting = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.#env = env;
  }

  start(): Promise<void> {
    return this.#enqueue(() => this.#restart());
  }

  changed(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    realClock.setTimer(SETTLE_MS, () => {
      this.#isWaiting = false;
      this.#checking.abort();
      void this.#enqueue(() => this.#restart());
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#checking.abort();
    await this.#running;
    await Promise.all([this.#operator?.stop(), this.#standby?.stop()]);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#running = this.#running.then(() => (this.#isClosed ? undefined : work()));
    return this.#running;
  }

  /** The old operator goes on while the new code cannot be read. */
  async #restart(): Promise<void> {
    const began = performance.now();
    this.#standby ??= new OperatorProcess(this.#directory, this.#env);
    if (!(await this.#tell(emitProject(this.#directory)))) return;
    await this.#operator?.stop();
    this.#operator = this.#standby;
    this.#standby = undefined;
    this.#operator.start();
    void this.#tellOfEnd(this.#operator);
    process.stdout.write(`Operator started, ${Math.round(performance.now() - began)} ms after the change\n`);
    realClock.setTimer(STANDBY_MS, () => this.#prepare());
    this.#checkTypes();
  }

  async #tellOfEnd(operator: OperatorProcess): Promise<void> {
    const code = await operator.exited;
    if (!operator.isStopping)
      process.stdout.write(`Operator ended with code ${code}: it starts again when the code changes\n`);
  }

  #prepare(): void {
    if (!this.#isClosed) this.#standby ??= new OperatorProcess(this.#directory, this.#env);
  }

  #checkTypes(): void {
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    const remembered = join(this.#directory, '.pintle', 'types.tsbuildinfo');
    void this.#tell(checkProject(this.#directory, remembered, { signal })).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Whether it went well; if not, people see why. */
  async #tell(compiled: Promise<void>): Promise<boolean> {
    try {
      await compiled;
      return true;
    } catch (error) {
      if (!(error instanceof GenerateError)) throw error;
      process.stdout.write(`${terminalText(error.message)}\n`);
      return false;
    }
  }
}

interface Plane {
  readonly kubeconfig: string;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** In a process of its own: the operator and its restarts take nothing from it. */
async function startPlane(directory: string, { port, nodes }: DevFlags): Promise<Plane> {
  const folder = join(directory, '.pintle');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['up', '--data', folder, '--port', `${port}`, '--nodes', `${nodes}`, '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [process.argv[1]!, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await new Promise<void>((done, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('is ready')) done();
    });
    void ended.then(() => failed(new UsageError('The control plane did not start')));
  });
  process.stdout.write(`Control plane is ready: export KUBECONFIG=${kubeconfig}\n`);
  return {
    kubeconfig,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
