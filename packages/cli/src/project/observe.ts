import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readProject } from '@pintle/generate';
import { Observation } from '../observe/observation.ts';
import { UsageError } from '../usage-error.ts';
import { projectDirectory } from './project-directory.ts';

interface ObserveFlags {
  readonly command: readonly string[];
  /** Discards earlier records. */
  readonly replace?: boolean;
}

/** `pintle observe -- npm test`: runs a command and records the API requests of its operators. Exits with its code. */
export async function observe({ command: [program, ...args], replace = false }: ObserveFlags): Promise<void> {
  const directory = projectDirectory();
  readProject(directory);
  if (program === undefined) throw new UsageError('Cannot observe: pass a command, such as pintle observe -- npm test');
  const observation = new Observation(directory);
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...observation.environment } });
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw new UsageError(`Cannot run ${program}: ${error.message}`);
  });
  observation.finish({ isNew: replace && code === 0 });
  process.exitCode = typeof code === 'number' ? code : 1;
}
