import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { showLine } from './show-line.ts';

/** The operator of a project, as a process of its own whose log people can read. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<number>;

  constructor(directory: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [join(directory, 'dist', 'main.js')], {
      cwd: directory,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: stream }).on('line', showLine);
    }
    this.exited = once(this.#child, 'exit').then(([code]) => (typeof code === 'number' ? code : 1));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill('SIGTERM');
    await this.exited;
  }
}
