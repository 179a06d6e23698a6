import { type Command, Option } from 'commander';
import { FLAGS, type Flag } from '../apiserver/flags.ts';

const ETCD_FLAGS = (Object.keys(FLAGS) as Flag[]).filter(
  (name) => (name.startsWith('etcd-') && name !== 'etcd-compaction-interval') || name === 'encryption-provider-config',
);
const KEY_FILE = 'Path of the keys that Secrets are encrypted with (default: secrets.key in the data folder)';

/** Adds `migrate`. */
export function addMigrateCommands(program: Command): void {
  const migrate = program.command('migrate').description('Move all objects between a data folder and an etcd');
  const toEtcd = addFlags(migrate.command('to-etcd'))
    .description('Copy all objects of a data folder into an etcd; stop the server first')
    .addHelpText('after', '\nExample:\n  pintle migrate to-etcd --data .pintle --etcd-servers https://10.0.0.1:2379')
    .action(async () => {
      const { migrateToEtcd } = await import('./migrate.ts');
      await migrateToEtcd(flagsOf(toEtcd));
    });
  const fromEtcd = addFlags(migrate.command('from-etcd'))
    .description('Copy all objects of an etcd into a new data folder; stop its servers first')
    .addHelpText('after', '\nExample:\n  pintle migrate from-etcd --data back --etcd-servers https://10.0.0.1:2379')
    .action(async () => {
      const { migrateFromEtcd } = await import('./migrate.ts');
      await migrateFromEtcd(flagsOf(fromEtcd));
    });
}

function addFlags(command: Command): Command {
  command
    .addOption(new Option('--data <dir>', 'Data folder of the server').default('.pintle'))
    .addOption(new Option('--secrets-key-file <file>', KEY_FILE));
  for (const name of ETCD_FLAGS) {
    const [value, text] = FLAGS[name];
    command.addOption(new Option(`--${name} <${value.toLowerCase()}>`, text));
  }
  return command;
}

function flagsOf(command: Command) {
  const values = command.opts<Record<string, string>>();
  const etcd = ETCD_FLAGS.map((name) => [name, values[camelCase(name)]] as const);
  const { data = '.pintle', secretsKeyFile } = values;
  return {
    data,
    ...(secretsKeyFile !== undefined && { secretsKeyFile }),
    etcd: Object.fromEntries(etcd.filter((entry): entry is [Flag, string] => entry[1] !== undefined)),
  };
}

function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
