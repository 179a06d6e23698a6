import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSecretKey, type SecretKeys } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { BackupError, restoreBackup, writeBackup } from '@pintle/store/backup';
import { etcdOf } from '../apiserver/etcd-flags.ts';
import { parseFlags } from '../apiserver/flags.ts';
import {
  backupSealOf,
  openSealedStore,
  readSecretKeys,
  SECRETS_KEY_FILE,
  writeSecretKeys,
} from '../serve/sealed-store.ts';
import { openEtcd, openSharedStore } from '../serve/shared-store.ts';
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
  const keyFile = keyFileOf(flags);
  const kept = await readSecretKeys(keyFile);
  const keys: SecretKeys = kept ?? [createSecretKey()];
  try {
    const { end, revision } = await restoreBackup(storeFolder(flags), {
      source: writeBackup(store, { ...backupSealOf(keys), now: new Date(realClock.now()) }),
      bumpBy: 0,
      check: async (made) => {
        // The keys are durable before the folder is there.
        if (kept === undefined) await writeSecretKeys(keyFile, keys);
        await (await openSealedStore(made, keyFile)).store.close();
      },
    });
    process.stdout.write(`Copied ${end.records} objects into ${storeFolder(flags)}, at revision ${revision}\n`);
    if (end.damagedKeys.length > 0) throw new UsageError(`Left out damaged objects: ${end.damagedKeys.join(', ')}`);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new UsageError(`${error.message} in ${storeFolder(flags)}. Move it away first.`);
  }
}

const log = { warn: (message: string) => void process.stderr.write(`${message}\n`) };

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
