import { type Command, Option } from 'commander';
import { readRevisions } from '../read-values.ts';

const KEY_FILE = 'Path of the keys that Secrets are encrypted with (default: secrets.key in the data folder)';

/** Far more than a server writes between two backups. */
const DEFAULT_BUMP = 1_000_000_000;

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .summary('Back up all objects into one file')
    .description('Write all objects of a server into one file, while it runs or when it is stopped')
    .argument('<file>', 'Path of the file to write')
    .addOption(new Option('--data <dir>', 'Data folder of the server').default('.pintle'))
    .addOption(new Option('--kubeconfig <file>', 'Ask the server of this kubeconfig instead'))
    .addOption(new Option('--context <name>', 'Ask the server of this context instead'))
    .addOption(new Option('--secrets-key-file <file>', KEY_FILE))
    .addHelpText('after', '\nExample:\n  pintle backup monday.backup --data .pintle')
    .action(async (file: string, options) => {
      const { backup } = await import('./backup.ts');
      await backup(file, options);
    });
  program
    .command('restore')
    .summary('Restore a backup into an empty data folder')
    .description('Restore a backup into an empty data folder. Clients with later revisions list their objects again.')
    .argument('<file>', 'Path of the backup')
    .addOption(new Option('--data <dir>', 'Data folder to restore into; it has no store yet').default('.pintle'))
    .addOption(new Option('--secrets-key-file <file>', KEY_FILE))
    .addOption(
      new Option('--bump-revision <number>', 'Number of revisions to skip, so that no revision is used twice')
        .default(DEFAULT_BUMP)
        .argParser(readRevisions),
    )
    .addHelpText('after', '\nExample:\n  pintle restore monday.backup --data restored && pintle up --data restored')
    .action(async (file: string, options) => {
      const { restore } = await import('./restore.ts');
      await restore(file, options);
    });
}
