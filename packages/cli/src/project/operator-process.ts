import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { showLine } from './show-line.ts';

/**
 * The operator of a project, as a process of its own whose log people can read. It begins by loading what all operators
 * are made of, and runs the project's code once it is told to: one that waits is there in no time.
 */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number>;
  #isOver = false;
  #isStopping = false;

  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [runnerPath(), join(directory, 'dist', 'main.js')], {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', showLine);
    }
    this.exited = once(this.#child, 'exit').then(([code]) => {
      this.#isOver = true;
      return typeof code === 'number' ? code : 1;
    });
  }

  start(): void {
    if (this.#child.connected) this.#child.send('start');
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

/** A file of this package beside the bundle, since it is a program of its own. */
function runnerPath(): string {
  const manifest = createRequire(import.meta.url).resolve('@pintle/cli/package.json');
  return join(dirname(manifest), 'dist', 'project', 'operator-runner.js');
}
