import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { etcdOf } from '../apiserver/etcd-flags.ts';
import { parseFlags } from '../apiserver/flags.ts';
import { openSealedStore, SECRETS_KEY_FILE } from '../serve/sealed-store.ts';
import { openEtcd, openSharedStore } from '../serve/shared-store.ts';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { copyIntoFolder } from './into-folder.ts';
import { copyToEtcd } from './to-etcd.ts';

export interface MigrateFlags {
  readonly data: string;
  readonly secretsKeyFile?: string;
  /** Flags that name the etcd, by their names without dashes before them. */
  readonly etcd: Readonly<Record<string, string>>;
}

/** `pintle migrate to-etcd`: copies the objects of a data folder into an etcd. The folder stays as it is. */
export async function migrateToEtcd(flags: MigrateFlags): Promise<void> {
  const folder = storeFolder(flags);
  if (!existsSync(folder)) throw new UsageError(`Cannot migrate: ${resolve(flags.data)} holds no store`);
  const { store: source } = await openSealedStore(folder, keyFileOf(flags));
  await using _source = source;
  // It is not checked what lies there: a migration that was cut short is taken up again.
  await using target = await openEtcd({ ...(await etcdOptions(flags)), compactionIntervalMs: 0 }, log);
  const { objects, revision } = await copyToEtcd(source, target);
  process.stdout.write(`Copied ${objects} objects into etcd, which is at revision ${revision}\n`);
}

/**
 * `pintle migrate from-etcd`: makes a data folder of what lies in an etcd that no server writes to any more. Secrets are encrypted with
 * the keys beside the folder, which are created unless there are any.
 */
export async function migrateFromEtcd(flags: MigrateFlags): Promise<void> {
  const { store } = await openSharedStore({ etcd: await etcdOptions(flags), secretsKeyFile: undefined, log });
  await using _store = store;
  const folder = storeFolder(flags);
  const { end, revision } = await copyIntoFolder(store, folder, keyFileOf(flags));
  process.stdout.write(`Copied ${end.records} objects into ${folder}, at revision ${revision}\n`);
  if (end.damagedKeys.length > 0) throw new UsageError(`Left out damaged objects: ${end.damagedKeys.join(', ')}`);
}

const log = { warn: (message: string) => void process.stderr.write(`${terminalText(message)}\n`) };

function storeFolder({ data }: MigrateFlags): string {
  return join(resolve(data), 'store');
}

function keyFileOf({ data, secretsKeyFile }: MigrateFlags): string {
  return resolve(secretsKeyFile ?? join(data, SECRETS_KEY_FILE));
}

async function etcdOptions({ etcd }: MigrateFlags) {
  const options = await etcdOf(parseFlags(Object.entries(etcd).map(([name, value]) => `--${name}=${value}`)));
  if (options === undefined) throw new UsageError('Cannot migrate: --etcd-servers names no etcd');
  return options;
}
