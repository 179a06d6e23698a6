import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import { resolveFrom } from '../project/project.ts';

interface CompileOptions {
  /** In the place of the project's own: everything is compiled anew. */
  readonly outDir?: string;
  /** Where stacks say that the sources are. Default: where they are. */
  readonly sourceRoot?: string;
}

/**
 * Compiles a project with its own compiler. Throws BuildFailed with what that complains about; tests are no part of the
 * operator, and what is wrong with them is told by whoever runs them.
 */
export async function compileProject(directory: string, { outDir, sourceRoot }: CompileOptions = {}): Promise<void> {
  const apart = outDir === undefined ? [] : ['--outDir', outDir, '--tsBuildInfoFile', join(outDir, '.tsbuildinfo')];
  await runCompiler(directory, [...apart, ...(sourceRoot === undefined ? [] : ['--sourceRoot', sourceRoot])]);
}

/** Looks at nothing but the project's own modules, one by one: a third of the work, and no type is checked. */
const UNCHECKED = ['--noCheck', '--noResolve', '--lib', 'es5', '--types', '', '--incremental', 'false'];

/** The same files without a look at their types. Throws BuildFailed when they are not TypeScript. */
export async function emitProject(directory: string): Promise<void> {
  await runCompiler(directory, [...UNCHECKED, '--tsBuildInfoFile', 'null']);
}

/** The look at the types alone; writes nothing but what it remembers for the next. Rejects when it is aborted. */
export async function checkProject(
  directory: string,
  remembered: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  await runCompiler(directory, ['--noEmit', '--tsBuildInfoFile', remembered], signal);
}

async function runCompiler(directory: string, flags: readonly string[], signal?: AbortSignal): Promise<void> {
  const tsc = resolveFrom(directory, 'typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const args = [tsc, '-p', directory, '--pretty', 'false', '--noEmitOnError', 'false', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const [output, code] = await Promise.all([textOf(child), once(child, 'close').then(([status]) => status as number)]);
  if (code === 0) return;
  const problems = problemsIn(output);
  const ofOperator = problems.filter((problem) => !OF_TEST.test(problem));
  if (problems.length > 0 && ofOperator.length === 0) return;
  throw new GenerateError({ code: 'BuildFailed', output: ofOperator.join('\n') || `tsc ended with ${code}` });
}

/** Matches a problem in a test: `src/fruit/fruit.test.ts(1,7): error TS2322: …`. */
const OF_TEST = /^[^\n(]*\.test\.[cm]?tsx?\(\d+,\d+\): /;

/** Returns what the compiler complains about, one by one: lines that are indented belong to the one above. */
function problemsIn(output: string): string[] {
  return output
    .trim()
    .split(/\r?\n(?!\s)/)
    .filter((problem) => problem !== '');
}

async function textOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [stdout, stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  await Promise.all([stdout, stderr].map((stream) => stream && once(stream, 'close')));
  return text;
}
