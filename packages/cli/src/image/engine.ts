import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../usage-error.ts';

export const ENGINES = ['docker', 'podman', 'buildah'] as const;
export type Engine = (typeof ENGINES)[number];

const ANSWER_MS = 5_000;
/** What only an engine that works can answer: a client alone is no use. */
const QUESTIONS: Readonly<Record<Engine, readonly string[]>> = {
  docker: ['version', '--format', '{{.Server.Version}}'],
  podman: ['info', '--format', '{{.Version.Version}}'],
  buildah: ['info'],
};

/** The first engine that is there and answers. */
export function findEngine(candidates: readonly Engine[] = ENGINES): Engine | undefined {
  return candidates.find((engine) => {
    const { status } = spawnSync(engine, QUESTIONS[engine], { timeout: ANSWER_MS, stdio: 'ignore' });
    return status === 0;
  });
}

interface EngineBuild {
  readonly directory: string;
  readonly tag: string;
  readonly platform?: string;
  /** Where the engine's own words go. Default: to the person. */
  readonly isQuiet?: boolean;
}

/** Lets an engine follow the project's Dockerfile. */
export async function buildWith(engine: Engine, { directory, tag, platform, isQuiet }: EngineBuild): Promise<void> {
  const args = ['build', '--tag', tag, ...(platform === undefined ? [] : ['--platform', platform]), '.'];
  const child = spawn(engine, args, { cwd: directory, stdio: ['ignore', isQuiet ? 2 : 'inherit', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new UsageError(`${engine} could not build the image`);
}
