import type { Command } from 'commander';
import { Option } from 'commander';
import { output } from '../help/describe-option.ts';

const DRY_RUN = ['--dry-run', 'Print the changes and write nothing'] as const;

/** Adds the commands that change a project as a whole. */
export function addUpkeepCommands(program: Command): void {
  program
    .command('edit')
    .summary('Change the settings of the project')
    .description('Change the settings of the project in this folder; without flags, print them')
    .option('--name <name>', 'Name of the operator')
    .option('--domain <domain>', 'Domain of the API groups of new resources')
    .option('--license <id>', 'SPDX identifier of the license')
    .option('--multigroup', 'Use a folder per API group; move existing files')
    .option('--no-multigroup', 'Use one folder for all API groups; move existing files')
    .option('--namespaced', 'Restrict the operator to its own namespace')
    .option('--no-namespaced', 'Let the operator work in all namespaces')
    .option('--sharded', 'Share the work among the replicas, instead of one that leads')
    .option('--no-sharded', 'Elect a replica that leads and does all work')
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
    .description('Upgrade the scaffolded files to this version of pintle')
    .addOption(
      new Option(
        '--conflicts <how>',
        'Where you and the scaffold changed the same lines: show them and stop, mark them in the file, keep mine or the scaffold’s',
      )
        .choices(['show', 'mark', 'mine', 'scaffold'])
        .default('show'),
    )
    .option('--check', 'Write nothing; fail if files are out of date')
    .option(...DRY_RUN)
    .addOption(output())
    .addHelpText(
      'after',
      '\nFiles that you did not change are replaced; in others, the changes are merged\nwith yours. In your code, such as controllers and tests, only names of the API\nthat have changed are replaced.\n\nExamples:\n  pintle upgrade\n  pintle upgrade --check',
    )
    .action(async (options) => {
      const { upgrade } = await import('./upkeep.ts');
      upgrade(options);
    });
}
