import { basename } from 'node:path';
import { fileProblem } from './file-problem.ts';
import { terminalText } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';

/** Runs a command line, and says in one line what its author can mend. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await choose(args);
  } catch (error) {
    const problem = isUsage(error) ? error.message : fileProblem(error);
    if (problem === undefined) throw error;
    process.stderr.write(`pintle: ${terminalText(problem)}\n`);
    process.exitCode = 1;
  }
}

/** By name: the packages that throw them are loaded by the commands that need them. */
function isUsage(error: unknown): error is Error {
  return error instanceof UsageError || (error instanceof Error && SPEAKING.has(error.name));
}

const SPEAKING: ReadonlySet<string> = new Set(['GenerateError', 'ClientError', 'StatusError']);

/** Each command loads only what it needs. Called by the name of kube-apiserver, this is one. */
async function choose(args: readonly string[]): Promise<void> {
  const isDropIn = basename(process.argv[1] ?? '') === 'kube-apiserver';
  if (isDropIn || args[0] === 'apiserver') {
    const { apiserver } = await import('./apiserver/apiserver.ts');
    await apiserver(isDropIn ? args : args.slice(1));
  } else {
    const { createProgram } = await import('./program.ts');
    await createProgram().parseAsync(args, { from: 'user' });
  }
}
