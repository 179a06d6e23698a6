import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SecretSeal } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { type Store, StoreError } from '@pintle/store';
import { BackupError, restoreBackup, writeBackup } from '@pintle/store/backup';
import { etcdOf } from '../apiserver/etcd-flags.ts';
import { parseFlags } from '../apiserver/flags.ts';
import { openSealedStore, readSecretKeys, SECRETS_KEY_FILE } from '../serve/sealed-store.ts';
import { openSharedStore } from '../serve/shared-store.ts';
import { UsageError } from '../usage-error.ts';
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
  await using target = await openTarget(flags);
  const { objects, revision } = await copyToEtcd(source, target);
  process.stdout.write(`Copied ${objects} objects into etcd, which is at revision ${revision}\n`);
  process.stdout.write(`Give every server the keys in ${keyFileOf(flags)} with --secrets-key-file\n`);
}

/** `pintle migrate from-etcd`: makes a data folder of what lies in an etcd that no server writes to any more. */
export async function migrateFromEtcd(flags: MigrateFlags): Promise<void> {
  const keyFile = flags.secretsKeyFile === undefined ? undefined : resolve(flags.secretsKeyFile);
  const log = { warn: (message: string) => process.stderr.write(`${message}\n`) };
  const { store, backupSeal } = await openSharedStore({ etcd: await etcdOptions(flags), secretsKeyFile: keyFile, log });
  await using _store = store;
  try {
    const { end, revision } = await restoreBackup(storeFolder(flags), {
      source: writeBackup(store, { ...backupSeal, now: new Date(realClock.now()) }),
      bumpBy: 0,
      check: async (made) => (await openSealedStore(made, keyFileOf(flags))).store.close(),
    });
    process.stdout.write(`Copied ${end.records} objects into ${storeFolder(flags)}, at revision ${revision}\n`);
    if (end.damagedKeys.length > 0) throw new UsageError(`Left out damaged objects: ${end.damagedKeys.join(', ')}`);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new UsageError(`${error.message} in ${storeFolder(flags)}. Move it away first.`);
  }
}

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

/** Opens the etcd without a look at what lies there: a migration that was cut short is taken up again. */
async function openTarget(flags: MigrateFlags): Promise<Store> {
  const { openEtcdStore } = await import('@pintle/store-etcd');
  const keys = await readSecretKeys(keyFileOf(flags));
  const options = { ...(await etcdOptions(flags)), compactionIntervalMs: 0, clock: realClock };
  try {
    return await openEtcdStore({ ...options, ...(keys && { seal: new SecretSeal(keys) }) });
  } catch (error) {
    if (error instanceof StoreError) throw new UsageError(`Cannot use etcd: ${error.message}`);
    throw error;
  }
}
