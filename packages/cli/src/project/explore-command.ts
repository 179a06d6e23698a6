import { type Command, Option } from 'commander';
import { readCount } from '../read-values.ts';

/** Adds the command that runs a project's explorations. */
export function addExploreCommand(program: Command): void {
  program
    .command('explore')
    .summary('look for faults that the operator does not survive')
    .description(
      'run src/**/*.explore.ts, and every controller without one by the schema of its resource: crashes, old views, errors',
    )
    .argument('[files...]', 'which explorations; by default all')
    .option('--seconds <number>', 'how long each may take; by default what it says, or 30', readCount)
    .option('--seed <seed>', 'decides what is tried, and in which order')
    .option('--plan <file>', 'replay a plan that an exploration wrote, and nothing else')
    .option('--report <dir>', 'write a page, JSON and JUnit of each exploration there')
    .addOption(new Option('-o, --output <form>', 'print text or JSON').choices(['text', 'json']))
    .addHelpText(
      'after',
      '\nExamples:\n  pintle explore\n  pintle explore src/fruit-controller.explore.ts --seconds 60 --report reports',
    )
    .action(async (files: string[], options) => {
      const { explore } = await import('./explore.ts');
      await explore({ files, ...options });
    });
}
