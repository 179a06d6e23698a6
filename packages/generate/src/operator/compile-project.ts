import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GenerateError } from '../errors.ts';
import { resolveFrom } from '../project/project.ts';

interface CompileOptions {
  /** Output folder. Default: that of the project. With it, everything is compiled from scratch. */
  readonly outDir?: string;
  /** Folder of the sources in stack traces. Default: their folder. */
  readonly sourceRoot?: string;
  /** Errors in explorations count too. */
  readonly checksExplorations?: boolean;
}

/**
 * Compiles a project with its own compiler. Throws BuildFailed with the errors of the compiler, without those in tests
 * and explorations, which are no part of the operator.
 */
export async function compileProject(directory: string, options: CompileOptions = {}): Promise<void> {
  const { outDir, sourceRoot, checksExplorations = false } = options;
  const apart = outDir === undefined ? [] : ['--outDir', outDir, '--tsBuildInfoFile', join(outDir, '.tsbuildinfo')];
  if (outDir === undefined) removeOrphans(directory);
  const flags = [...apart, ...(sourceRoot === undefined ? [] : ['--sourceRoot', sourceRoot])];
  await runCompiler(directory, flags, { others: checksExplorations ? OF_TEST : OF_OTHERS });
}

/** Compiles only the modules of the project, one by one and without checking types: a third of the work. */
const UNCHECKED = ['--noCheck', '--noResolve', '--lib', 'es5', '--types', '', '--incremental', 'false'];

/** Compiles a project without checking types. Throws BuildFailed on syntax errors. */
export async function emitProject(directory: string): Promise<void> {
  removeOrphans(directory);
  await runCompiler(directory, [...UNCHECKED, '--tsBuildInfoFile', 'null']);
}

/** Checks types only; writes nothing but the state for the next check. Rejects when it is aborted. */
export async function checkProject(
  directory: string,
  remembered: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  await runCompiler(directory, ['--noEmit', '--tsBuildInfoFile', remembered], { signal });
}

/** Removes compiled modules whose source is gone: the compiler leaves them, and imports would still find them. */
function removeOrphans(directory: string): void {
  const folder = join(directory, 'dist');
  // Only what the compiler wrote has a map beside it.
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  for (const map of files.filter((path) => path.endsWith('.js.map'))) {
    const name = map.slice(0, -'.js.map'.length);
    if (['.ts', '.tsx'].some((end) => existsSync(join(directory, 'src', `${name}${end}`)))) continue;
    for (const end of ['.js', '.js.map', '.d.ts']) rmSync(join(folder, `${name}${end}`), { force: true });
  }
}

async function runCompiler(
  directory: string,
  flags: readonly string[],
  { signal, others = OF_OTHERS }: { readonly signal?: AbortSignal; readonly others?: RegExp } = {},
): Promise<void> {
  const tsc = resolveFrom(directory, 'typescript/package.json').replace(/package\.json$/, 'bin/tsc');
  const args = [tsc, '-p', directory, '--pretty', 'false', '--noEmitOnError', 'false', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const [output, code] = await Promise.all([textOf(child), once(child, 'close').then(([status]) => status as number)]);
  if (code === 0) return;
  const problems = problemsIn(output);
  const ofOperator = problems.filter((problem) => !others.test(problem));
  if (problems.length > 0 && ofOperator.length === 0) return;
  throw new GenerateError({ code: 'BuildFailed', output: ofOperator.join('\n') || `tsc exited with code ${code}` });
}

/** Matches a problem in a test: `src/fruit/fruit.test.ts(1,7): error TS2322: …`. */
const OF_TEST = /^[^\n(]*\.test\.[cm]?tsx?\(\d+,\d+\): /;
/** Matches a problem in a test or an exploration. */
const OF_OTHERS = /^[^\n(]*\.(?:test|explore)\.[cm]?tsx?\(\d+,\d+\): /;

/** Splits the output of the compiler into errors. Indented lines belong to the error above. */
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
