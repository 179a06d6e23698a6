import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SecretKeys } from '@pintle/apiserver';
import { createSecretKey, resealSecrets } from '@pintle/apiserver';
import { openSealedStore, readSecretKeys, SECRETS_KEY_FILE, writeSecretKeys } from '../serve/sealed-store.ts';
import { UsageError } from '../usage-error.ts';

interface RotateOptions {
  readonly data: string;
  readonly secretsKeyFile?: string;
  /** Removes the old keys: earlier copies of the data cannot be read with the file any more. */
  readonly forget?: boolean;
}

/**
 * Creates a new key and encrypts all Secrets with it. The server must not run. An interrupted run can be repeated: the old
 * keys stay in the file until no Secret needs them.
 */
export async function rotateKeys(options: RotateOptions): Promise<void> {
  const folder = join(resolve(options.data), 'store');
  const keyFile = resolve(options.secretsKeyFile ?? join(options.data, SECRETS_KEY_FILE));
  if (!existsSync(folder))
    throw new UsageError(`Cannot rotate keys: ${resolve(options.data)} holds no store; pass its folder with --data`);
  const old = await readSecretKeys(keyFile);
  // Fails before a key is created when a server uses the store.
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
    process.stdout.write('The old keys stay in the file, for earlier copies of the data; remove them with --forget.\n');
  }
}
