import { createReadStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BackupError, restoreBackup } from '@pintle/store/backup';
import { openSealedStore, SECRETS_KEY_FILE } from '../serve/sealed-store.ts';
import { UsageError } from '../usage-error.ts';

export interface RestoreFlags {
  readonly data: string;
  readonly secretsKeyFile?: string;
  readonly bumpRevision: number;
}

/** `pintle restore`: makes a data folder of a backup. A restore that fails leaves the folder as it was. */
export async function restore(file: string, { data, secretsKeyFile, bumpRevision }: RestoreFlags): Promise<void> {
  if (!existsSync(file)) throw new UsageError(`Cannot restore backup: there is no file ${resolve(file)}`);
  const folder = join(resolve(data), 'store');
  const keyFile = resolve(secretsKeyFile ?? join(data, SECRETS_KEY_FILE));
  try {
    const { header, end, revision } = await restoreBackup(folder, {
      source: createReadStream(file),
      bumpBy: bumpRevision,
      check: (made) => checkKeys(made, keyFile),
    });
    process.stdout.write(`Restored ${end.records} objects of ${header.writtenAt} into ${folder}\n`);
    process.stdout.write(`The next revision is ${revision + 1}; start the server with: pintle up --data ${data}\n`);
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const isUsed = error.failure.code === 'NotEmpty';
    throw new UsageError(isUsed ? `${error.message} in ${folder}. Move it away first.` : error.message);
  }
}

/** Throws UsageError when the Secrets of the backup cannot be read with the keys that lie beside the store. */
async function checkKeys(folder: string, keyFile: string): Promise<void> {
  const { store } = await openSealedStore(folder, keyFile);
  await store.close();
}
