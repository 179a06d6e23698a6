import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SecretKeys } from '@pintle/apiserver';
import { createSecretKey, resealSecrets } from '@pintle/apiserver';
import { openSealedStore, readSecretKeys, SECRETS_KEY_FILE, writeSecretKeys } from '../serve/sealed-store.ts';
import { UsageError } from '../usage-error.ts';

interface RotateOptions {
  readonly data: string;
  readonly secretsKeyFile?: string;
  /** Old keys go: what was copied before cannot be read with the file any more. */
  readonly forget?: boolean;
}

/**
 * Makes a new key and writes all Secrets anew with it. The server must not run. Safe to repeat when it was cut short: the
 * old keys stay in the file until nothing needs them.
 */
export async function rotateKeys(options: RotateOptions): Promise<void> {
  const folder = join(resolve(options.data), 'store');
  const keyFile = resolve(options.secretsKeyFile ?? join(options.data, SECRETS_KEY_FILE));
  if (!existsSync(folder)) throw new UsageError(`Cannot rotate keys: there is no store in ${resolve(options.data)}`);
  const old = await readSecretKeys(keyFile);
  // Whoever runs now is found out before a key is made.
  const { store: before } = await openSealedStore(folder, keyFile);
  await before.close();
  const keys: SecretKeys = [createSecretKey(), ...(old ?? [])];
  await writeSecretKeys(keyFile, keys);
  const { store } = await openSealedStore(folder, keyFile);
  let count: number;
  try {
    count = await resealSecrets(store);
  } finally {
    await store.close();
  }
  if (options.forget) await writeSecretKeys(keyFile, [keys[0]]);
  process.stdout.write(`Encrypted ${count} Secrets with the new key ${keys[0].id}, in ${keyFile}.\n`);
  if (!options.forget && keys.length > 1) {
    process.stdout.write('Older keys stay in the file for copies of the data; --forget removes them.\n');
  }
}
