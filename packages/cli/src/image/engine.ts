import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../usage-error.ts';

export const ENGINES = ['docker', 'podman', 'buildah'] as const;
export type Engine = (typeof ENGINES)[number];

const TIMEOUT_MS = 5_000;
/** Commands that succeed only when the engine works, not just its client. */
const PROBES: Readonly<Record<Engine, readonly string[]>> = {
  docker: ['version', '--format', '{{.Server.Version}}'],
  podman: ['info', '--format', '{{.Version.Version}}'],
  buildah: ['info'],
};

/** Returns the first engine that responds. */
export function findEngine(candidates: readonly Engine[] = ENGINES): Engine | undefined {
  return candidates.find((engine) => {
    const { status } = spawnSync(engine, PROBES[engine], { timeout: TIMEOUT_MS, stdio: 'ignore' });
    return status === 0;
  });
}

interface EngineBuild {
  readonly directory: string;
  readonly tag: string;
  readonly platform?: string;
  /** Sends the output of the engine to standard error. Default: standard output. */
  readonly isQuiet?: boolean;
}

/** Builds the Dockerfile of the project with an engine. */
export async function buildWith(engine: Engine, { directory, tag, platform, isQuiet }: EngineBuild): Promise<void> {
  const args = ['build', '--tag', tag, ...(platform === undefined ? [] : ['--platform', platform]), '.'];
  const child = spawn(engine, args, { cwd: directory, stdio: ['ignore', isQuiet ? 2 : 'inherit', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new UsageError(`Cannot build the image: ${engine} exited with code ${code}`);
}
