import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import { resolveFrom } from './resolve-from.ts';

export interface CompileOptions {
  /** In the place of the project's own: everything is compiled anew. */
  readonly outDir?: string;
}

/** Compiles a project with its own compiler. Throws BuildFailed with what that complains about. */
export async function compileProject(directory: string, { outDir }: CompileOptions = {}): Promise<void> {
  const tsc = resolveFrom(directory, 'typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const apart = outDir === undefined ? [] : ['--outDir', outDir, '--tsBuildInfoFile', join(outDir, '.tsbuildinfo')];
  const child = spawn(process.execPath, [tsc, '-p', directory, ...apart], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new GenerateError({ code: 'BuildFailed', output: output.trim() || `tsc ended with ${code}` });
}
