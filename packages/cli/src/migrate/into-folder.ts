import { createSecretKey, type SecretKeys } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import type { Store } from '@pintle/store';
import { BackupError, type RestoredBackup, restoreBackup, writeBackup } from '@pintle/store/backup';
import { backupSealOf, openSealedStore, readSecretKeys, writeSecretKeys } from '../serve/sealed-store.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Makes the store of a data folder of all objects in another store. Secrets are encrypted with the keys beside the folder, which are
 * created unless there are any. Throws UsageError when the folder holds a store.
 */
export async function copyIntoFolder(source: Store, folder: string, keyFile: string): Promise<RestoredBackup> {
  const kept = await readSecretKeys(keyFile);
  const keys: SecretKeys = kept ?? [createSecretKey()];
  try {
    return await restoreBackup(folder, {
      source: writeBackup(source, { ...backupSealOf(keys), now: new Date(realClock.now()) }),
      bumpBy: 0,
      check: async (made) => {
        // The keys are durable before the folder is there.
        if (kept === undefined) await writeSecretKeys(keyFile, keys);
        await (await openSealedStore(made, keyFile)).store.close();
      },
    });
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    throw new UsageError(`${error.message} in ${folder}. Move it away first.`);
  }
}
