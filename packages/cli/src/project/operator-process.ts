import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { LogPrinter } from './log-printer.ts';

/** The message that starts a waiting operator. */
export interface StartMessage {
  /** Modules of resources without a controller; their CRDs are installed first. */
  readonly resourcesWithoutController: readonly { readonly path: string; readonly kind: string }[];
}

/**
 * Runs the operator of a project in its own process and prints its log. The process first loads the packages that all
 * operators need, and then waits for `start`, so that a waiting one starts fast. It ends when this process ends. Ctrl-C at
 * the terminal does not reach it.
 */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number>;
  #isOver = false;
  #isStopping = false;

  /** Prints the log, and calls `onLine` with each line of it. */
  constructor(directory: string, env: Readonly<Record<string, string>>, onLine?: (line: string) => void) {
    const args = ['--enable-source-maps', runnerPath(), join(directory, 'dist', 'main.js')];
    this.#child = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      ...OUTSIDE_THE_TERMINAL,
    });
    const printer = new LogPrinter();
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        printer.print(line);
        onLine?.(line);
      });
    }
    // 'close' follows the last line of output.
    this.exited = once(this.#child, 'close').then(([code]) => {
      this.#isOver = true;
      return typeof code === 'number' ? code : 1;
    });
  }

  start(message: StartMessage = { resourcesWithoutController: [] }): void {
    // The process may exit at any moment; then the message is lost.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Calls `onMessage` with each message of the process. */
  onMessage(onMessage: (message: unknown) => void): void {
    this.#child.on('message', onMessage);
  }

  /** Messages to a process that has ended are dropped. */
  send(message: object): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** True after `stop` was called. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (!this.#isOver) this.#child.kill('SIGTERM');
    await this.exited;
  }
}

/**
 * Options of processes that are stopped in order: Ctrl-C reaches only the command, which stops them. On Windows a detached
 * process would open a window.
 */
export const OUTSIDE_THE_TERMINAL = { detached: process.platform !== 'win32' } as const;

/** Returns the path of the runner, a separate program beside the bundle. */
function runnerPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return join(dirname(manifest), 'dist', 'project', 'operator-runner.js');
}
