import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { showLine } from './show-line.ts';

/** The message that lets a waiting operator begin. */
export interface StartMessage {
  /** Modules of resources that no controller looks after, which are installed first. */
  readonly definedApart: readonly { readonly path: string; readonly kind: string }[];
}

/**
 * The operator of a project, as a process of its own whose log people can read. It begins by loading what all operators
 * are made of, and runs the project's code once it is told to: one that waits is there in no time. It ends with this
 * process, however that ends, and never before it is asked to: Ctrl-C at the terminal does not reach it.
 */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number>;
  #isOver = false;
  #isStopping = false;

  /** `onLine` hears each line of its log. */
  constructor(directory: string, env: Readonly<Record<string, string>>, onLine: (line: string) => void = showLine) {
    const args = ['--enable-source-maps', runnerPath(), join(directory, 'dist', 'main.js')];
    this.#child = spawn(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      ...OUTSIDE_THE_TERMINAL,
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', onLine);
    }
    // By then all it has said is shown.
    this.exited = once(this.#child, 'close').then(([code]) => {
      this.#isOver = true;
      return typeof code === 'number' ? code : 1;
    });
  }

  start(message: StartMessage = { definedApart: [] }): void {
    // It may end at any moment, and what cannot be said is not heard.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Whether it was told to stop. */
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
 * For processes that are stopped in order: Ctrl-C is meant for the command, which tells them when their time has come.
 * On Windows a process of its own group would open a window.
 */
export const OUTSIDE_THE_TERMINAL = { detached: process.platform !== 'win32' } as const;

/** A file of this package beside the bundle, since it is a program of its own. */
function runnerPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return join(dirname(manifest), 'dist', 'project', 'operator-runner.js');
}
