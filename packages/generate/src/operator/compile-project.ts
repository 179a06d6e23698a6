import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GenerateError } from '../errors.ts';
import { resolveFrom } from './resolve-from.ts';

/** Compiles a project with its own compiler. Throws BuildFailed with what that complains about. */
export async function compileProject(directory: string): Promise<void> {
  const tsc = resolveFrom(directory, 'typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const child = spawn(process.execPath, [tsc, '-p', directory], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new GenerateError({ code: 'BuildFailed', output: output.trim() || `tsc ended with ${code}` });
}
