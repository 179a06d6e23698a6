import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UsageError } from '../usage-error.ts';
import { OUTSIDE_THE_TERMINAL } from './operator-process.ts';
import { showLine } from './show-line.ts';

/** A control plane in a process of its own: an operator and its restarts take nothing from it. */
export interface PlaneProcess {
  readonly kubeconfig: string;
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts one whose data is the project's. It ends with this process, however that ends. */
export async function startPlane(
  directory: string,
  { port, nodes }: { readonly port: number; readonly nodes: number },
): Promise<PlaneProcess> {
  const folder = join(directory, '.pintle');
  mkdirSync(folder, { recursive: true });
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['up', '--data', folder, '--port', `${port}`, '--nodes', `${nodes}`, '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [process.argv[1]!, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...OUTSIDE_THE_TERMINAL,
  });
  const ended = once(child, 'close');
  createInterface({ input: child.stderr! }).on('line', showLine);
  await new Promise<void>((done, failed) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
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
