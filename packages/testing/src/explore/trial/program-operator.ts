import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@pintle/async';
import type { ControlPlane } from '../../plane/control-plane.ts';
import type { ProgramOptions } from '../model/options.ts';
import type { OperatorProcess } from './operator-process.ts';

const POLL_MS = 10;
/** Time without a request of the program after which it is idle. */
const QUIET_MS = 300;
/** Time that a program has to send its first request. */
const START_WITHIN_MS = 20_000;
const IDLE_WITHIN_MS = 20_000;
/** Exits of a run after which the program is not started again. */
const MAX_EXITS = 10;
/** Characters of the output that are kept. */
const KEPT_OUTPUT = 2_000;

interface ProgramDependencies {
  readonly plane: ControlPlane;
  readonly program: ProgramOptions;
  /** Name of the program in the request log. */
  readonly actor: string;
  /** Called when the program exits by itself. */
  onExit(reason: string): void;
}

/**
 * An operator that is a program. It reaches the plane by the kubeconfig in `KUBECONFIG`. Its own time is the machine's: it is
 * idle when it has sent nothing for a while.
 */
export class ProgramOperator implements OperatorProcess {
  readonly isLeader = true;
  readonly nextDueMs = Number.POSITIVE_INFINITY;
  readonly #dependencies: ProgramDependencies;
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #starts = 0;
  #exits = 0;
  #output = '';
  /** Requests in the log when the process was started. */
  #requestsAtStart = 0;

  private constructor(dependencies: ProgramDependencies, folder: string) {
    this.#dependencies = dependencies;
    this.#folder = folder;
  }

  static async open(dependencies: ProgramDependencies): Promise<ProgramOperator> {
    const { plane, actor } = dependencies;
    await plane.listen({ actor });
    const folder = await mkdtemp(join(tmpdir(), 'pintle-explore-'));
    await writeFile(join(folder, 'kubeconfig'), await plane.kubeconfig(), { mode: 0o600 });
    const operator = new ProgramOperator(dependencies, folder);
    operator.start();
    return operator;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  get starts(): number {
    return this.#starts;
  }

  get isSynced(): boolean {
    const { plane, actor } = this.#dependencies;
    return this.isRunning && plane.watches.list({ actor }).length > 0;
  }

  start(): void {
    if (this.#process !== undefined) return;
    const { command, args = [], cwd, env } = this.#dependencies.program;
    this.#starts++;
    this.#requestsAtStart = this.#requests;
    const child = spawn(command, [...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, KUBECONFIG: join(this.#folder, 'kubeconfig') },
      ...(cwd !== undefined && { cwd }),
    });
    this.#process = child;
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-KEPT_OUTPUT);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const end = (reason: string): void => {
      if (this.#process !== child) return;
      this.#process = undefined;
      this.#exits++;
      this.#dependencies.onExit(reason);
      // As a Deployment does.
      if (this.#exits <= MAX_EXITS) this.start();
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(`it exited with ${code ?? signal}`));
  }

  crash(): void {
    const child = this.#process;
    this.#process = undefined;
    child?.kill('SIGKILL');
    this.#dependencies.plane.watches.cut({ actor: this.#dependencies.actor });
  }

  overtake(): undefined {
    return undefined;
  }

  enqueue(): void {}

  async untilIdle(): Promise<void> {
    const { plane } = this.#dependencies;
    const startedMs = realClock.monotonic();
    let seen = -1;
    let changedMs = startedMs;
    for (;;) {
      if (this.#exits > MAX_EXITS) throw new Error(`The program keeps exiting: ${this.#lastLine()}`);
      await plane.untilIdle();
      const now = realClock.monotonic();
      const requests = this.#requests;
      if (requests !== seen) [seen, changedMs] = [requests, now];
      const hasBegun = !this.isRunning || requests > this.#requestsAtStart;
      if (hasBegun && now - changedMs >= QUIET_MS) return;
      if (!hasBegun && now - startedMs > START_WITHIN_MS)
        throw new Error(`The program sent no request within ${START_WITHIN_MS / 1_000} s: ${this.#lastLine()}`);
      // A program that polls is never quiet.
      if (hasBegun && now - startedMs > IDLE_WITHIN_MS) return;
      await realClock.sleep(POLL_MS);
    }
  }

  async close(): Promise<void> {
    this.crash();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #requests(): number {
    const { plane, actor } = this.#dependencies;
    return plane.requests.all({ actor }).length;
  }

  #lastLine(): string {
    return this.#output.trimEnd().split('\n').at(-1) || 'it wrote nothing';
  }
}
