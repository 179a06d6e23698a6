import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { realClock } from '@pintle/async';

const POLL_MS = 10;
const STOP_WITHIN_MS = 20_000;
const KEPT_OUTPUT = 4_000;

/** A child process that runs until it is stopped. */
export class Program {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';
  #isOver = false;

  constructor(path: string, args: readonly string[]) {
    this.#name = path;
    this.#process = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-KEPT_OUTPUT);
    };
    this.#process.stdout?.on('data', keep);
    this.#process.stderr?.on('data', keep);
    this.#ended = this.#watch();
  }

  /** Waits until `isReady` returns true. Rejects with the output of the program when it exits first or takes too long. */
  async until(isReady: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    const limitMs = realClock.monotonic() + timeoutMs;
    while (!(await isReady())) {
      const why = this.#isOver
        ? 'it exited'
        : realClock.monotonic() > limitMs
          ? `not ready after ${timeoutMs} ms`
          : undefined;
      if (why !== undefined) throw new Error(`Cannot wait for ${this.#name}: ${why}. Its output:\n${this.#output}`);
      await realClock.sleep(POLL_MS);
    }
  }

  /** Sends SIGTERM, and SIGKILL when the program does not exit. */
  async stop(): Promise<void> {
    if (this.#isOver) return;
    this.#process.kill('SIGTERM');
    using _deadline = realClock.setTimer(STOP_WITHIN_MS, () => this.#process.kill('SIGKILL'));
    await this.#ended;
  }

  async #watch(): Promise<void> {
    try {
      await once(this.#process, 'close');
    } catch (error) {
      this.#output += String(error);
    }
    this.#isOver = true;
  }
}

/** Returns the help of a program. Rejects when it cannot be run. */
export async function helpOf(path: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(path, ['--help'], { timeout: STOP_WITHIN_MS });
  return stdout + stderr;
}
