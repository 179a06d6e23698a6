import type { Command } from 'commander';
import { Option } from 'commander';

const output = (): Option => new Option('-o, --output <form>', 'print text or JSON').choices(['text', 'json']);
const DRY_RUN = ['--dry-run', 'say what would change, and write nothing'] as const;

/** Commands that keep a project in shape. */
export function addUpkeepCommands(program: Command): void {
  program
    .command('edit')
    .summary('change the settings of the project')
    .description('change the settings of the project in this folder; without flags, show them')
    .option('--name <name>', 'what the operator is called')
    .option('--domain <domain>', 'whose domain resources are in that are added from now on')
    .option('--license <id>', 'as SPDX spells it')
    .option('--multigroup', 'a folder for each group of resources; moves what there is')
    .option('--no-multigroup', 'one folder for all; moves what there is')
    .option('--namespaced', 'the operator looks after its own namespace only')
    .option('--no-namespaced', 'it looks after all')
    .option(...DRY_RUN)
    .addOption(output())
    .addHelpText(
      'after',
      '\nExamples:\n  pintle edit --multigroup\n  pintle edit --namespaced --dry-run\n  pintle edit',
    )
    .action(async (options) => {
      const { edit } = await import('./upkeep.ts');
      edit(options);
    });
  program
    .command('upgrade')
    .description('bring what an older pintle scaffolded up to this one')
    .addOption(
      new Option(
        '--conflicts <how>',
        'where you and the scaffold changed the same lines: show them and wait, mark them in the file, take yours or the scaffold’s',
      )
        .choices(['show', 'mark', 'mine', 'scaffold'])
        .default('show'),
    )
    .option('--check', 'write nothing: fail when something would be written')
    .option(...DRY_RUN)
    .addOption(output())
    .addHelpText(
      'after',
      '\nFiles that nobody touched are written anew, others get what changed beside your own changes.\nCode that was begun for you is yours and stays.\n\nExamples:\n  pintle upgrade\n  pintle upgrade --check',
    )
    .action(async (options) => {
      const { upgrade } = await import('./upkeep.ts');
      upgrade(options);
    });
}
