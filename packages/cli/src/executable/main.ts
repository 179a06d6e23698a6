import { STAND_IN_FOR_ETCD } from '../envtest/stand-in-for-etcd.ts';
import { type HelpTexts, readyAnswer } from '../help/ready-answer.ts';
import { run } from '../run.ts';

/** Runs a command line in the executable that needs no Node.js (docs/decisions/0092-executable.md). */
export async function main(args: readonly string[], help: HelpTexts): Promise<void> {
  // Keeps running when the reader closes the pipe, as in `pintle up | head`.
  process.stdout.on('error', () => {});
  const answer = readyAnswer(args, help);
  if (args[0] === STAND_IN_FOR_ETCD) {
    // The program reads its flags from there.
    process.argv.splice(2, 1);
    await import('../envtest/etcd.ts');
  } else if (answer !== undefined) {
    (answer.isError ? process.stderr : process.stdout).write(answer.text);
    if (answer.isError) process.exitCode = 1;
  } else
    await run(args, async () => {
      const { createExecutableProgram } = await import('./program.ts');
      return createExecutableProgram();
    });
}
