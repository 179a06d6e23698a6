import {
  checkSecretKeys,
  createSecretKey,
  parseSecretKeys,
  printSecretKeys,
  type SecretKeys,
  SecretSeal,
  writeKeyCheck,
} from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { openLmdbStore, type Store, StoreError, type StoreFailure, type ValueSeal } from '@pintle/store';
import { readPrivateFile, writePrivateFile } from '../credentials/private-file.ts';
import { UsageError } from '../usage-error.ts';

export const SECRETS_KEY_FILE = 'secrets.key';

export interface SealedStore {
  readonly store: Store;
  readonly backupSeal: BackupSeal;
  /** Writes the record that detects wrong keys later. Called once the store has its first objects. */
  writeKeyCheck(): Promise<void>;
}

/** Seals the Secrets of a backup, and names the keys. */
export interface BackupSeal {
  readonly seal?: ValueSeal;
  readonly sealedWith?: readonly string[];
}

export function backupSealOf(keys: SecretKeys): BackupSeal {
  return { seal: new SecretSeal(keys), sealedWith: keys.map(({ id }) => id) };
}

/**
 * Opens the store in a folder, whose Secrets are encrypted with the keys in `keyFile`. Creates the file with a new store.
 * Throws UsageError when the folder is in use or the keys are wrong.
 */
export async function openSealedStore(folder: string, keyFile: string): Promise<SealedStore> {
  const kept = await readSecretKeys(keyFile);
  const keys: SecretKeys = kept ?? [createSecretKey()];
  const store = await openWith(folder, keys);
  try {
    const found = await checkSecretKeys(store).catch((error: Error) => {
      throw kept === undefined ? missingKeys(folder, keyFile) : wrongKeys(folder, keyFile, error);
    });
    // The key is durable before anything is encrypted with it.
    if (kept === undefined) await writeSecretKeys(keyFile, keys);
    const check = async (): Promise<void> => {
      if (found === 'new') await writeKeyCheck(store);
    };
    return { store, writeKeyCheck: check, backupSeal: backupSealOf(keys) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openWith(folder: string, keys: SecretKeys): Promise<Store> {
  try {
    return await openLmdbStore(folder, { clock: realClock, seal: new SecretSeal(keys) });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const advice = ADVICE[error.failure.code];
    if (advice === undefined) throw error;
    throw new UsageError(`${error.message}. ${advice(folder)}`, { cause: error });
  }
}

/** Returns the advice for a store that cannot be opened. */
const ADVICE: Partial<Record<StoreFailure['code'], (folder: string) => string>> = {
  Locked: () => 'Stop that server first, or choose another folder with --data.',
  Corrupt: (folder) => `Keep a copy of ${folder} and put a backup in its place: see docs/backup-and-repair.md.`,
  NewerFormat: (folder) => `Use that version for ${folder}, or choose another folder with --data.`,
  NoSpace: (folder) => `Free space on the disk of ${folder} first.`,
};

/** Reads the keys in a file that only its owner may read; `undefined` when it does not exist. */
export async function readSecretKeys(path: string): Promise<SecretKeys | undefined> {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    return parseSecretKeys(text);
  } catch (error) {
    throw new UsageError(`Cannot use ${path}: ${(error as Error).message}`);
  }
}

/** Resolves once the file is durable. */
export async function writeSecretKeys(path: string, keys: SecretKeys): Promise<void> {
  await writePrivateFile(path, printSecretKeys(keys));
}

function missingKeys(folder: string, keyFile: string): UsageError {
  return new UsageError(
    `Cannot read the Secrets in ${folder}: the file with their keys is missing. Restore ${keyFile}, or pass its path with --secrets-key-file.`,
  );
}

function wrongKeys(folder: string, keyFile: string, { message }: Error): UsageError {
  return new UsageError(`Cannot use ${keyFile} for ${folder}: ${message}`);
}
