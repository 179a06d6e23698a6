import { basename } from 'node:path';
import type { Command } from 'commander';
import { fileProblem } from './file-problem.ts';
import { terminalText } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';
import { WORKER_COMMAND } from './workers/worker-command.ts';

/** Runs a command line. Errors that the user can fix are printed as one line, without a stack. */
export async function run(args: readonly string[], program: () => Promise<Command> = wholeProgram): Promise<void> {
  try {
    await choose(args, program);
  } catch (error) {
    const problem = isUserError(error) ? error.message : fileProblem(error);
    if (problem === undefined) throw error;
    process.stderr.write(`pintle: ${terminalText(problem)}\n`);
    process.exitCode = 1;
  }
}

/** Compares names, since only the commands that need the packages of these errors load them. */
function isUserError(error: unknown): error is Error {
  return error instanceof UsageError || (error instanceof Error && USER_ERRORS.has(error.name));
}

const USER_ERRORS: ReadonlySet<string> = new Set(['GenerateError', 'ClientError', 'ExploreError', 'StatusError']);

/** Loads only the modules of the chosen command. Run under the name kube-apiserver, it is `pintle apiserver`. */
async function choose(args: readonly string[], program: () => Promise<Command>): Promise<void> {
  if (args[0] === WORKER_COMMAND && process.send !== undefined) {
    const { runWorker } = await import('./worker/worker.ts');
    runWorker();
    return;
  }
  const isDropIn = basename(process.argv[1] ?? '') === 'kube-apiserver';
  if (isDropIn || args[0] === 'apiserver') {
    const { apiserver } = await import('./apiserver/apiserver.ts');
    await apiserver(isDropIn ? args : args.slice(1));
  } else {
    await (await program()).parseAsync(args, { from: 'user' });
  }
}

async function wholeProgram(): Promise<Command> {
  const { createProgram } = await import('./program.ts');
  return createProgram();
}
