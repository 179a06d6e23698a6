import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../usage-error.ts';
import { showLine } from './show-line.ts';

/** Compiles the project; gives what the compiler complains about, or nothing. */
export async function compile(directory: string): Promise<string> {
  const tsc = fromProject(directory, 'typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', directory], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const [code] = await once(child, 'exit');
  return code === 0 ? '' : output.trim() || `tsc ended with ${code}`;
}

function fromProject(directory: string, specifier: string): string {
  try {
    return createRequire(join(directory, 'package.json')).resolve(specifier);
  } catch {
    throw new UsageError(`${specifier.split('/')[0]} is not installed in ${directory}; run npm install`);
  }
}

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
