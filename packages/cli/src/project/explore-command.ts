import { type Command, Option } from 'commander';
import { readSeconds } from '../read-values.ts';

/** Adds the command that runs a project's explorations. */
export function addExploreCommand(program: Command): void {
  program
    .command('explore')
    .summary('Look for faults that the operator does not survive')
    .description(
      'Run src/**/*.explore.ts with crashes, stale reads and errors at every point. A controller without such a file is explored by the schema of its resource.',
    )
    .argument('[files...]', 'Explorations to run (default: all)')
    .option('--seconds <number>', 'Seconds that each may take (default: its own budget, or 30)', readSeconds)
    .option('--seed <seed>', 'Seed of the choice and order of faults')
    .option('--plan <file>', 'Path of a plan that an exploration wrote; only this plan runs')
    .option('--report <dir>', 'Folder for a page, JSON and JUnit of each exploration')
    .addOption(new Option('-o, --output <form>', 'Output format').choices(['text', 'json']))
    .addHelpText(
      'after',
      '\nExamples:\n  pintle explore\n  pintle explore src/fruit-controller.explore.ts --seconds 60 --report reports',
    )
    .action(async (files: string[], options) => {
      const { explore } = await import('./explore.ts');
      await explore({ files, ...options });
    });
}
