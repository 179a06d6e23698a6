import type { Operation, Store } from '@pintle/store';
import { keyAfter, prefixRange, StoreError } from '@pintle/store';
import { KEY_CHECK, SECRETS_PREFIX } from './secret-seal.ts';

const CHECK_TEXT = Buffer.from('pintle');
const PER_WRITE = 100;

/**
 * Checks that the keys of an open store are those of its encrypted Secrets. Returns `new` when nothing is encrypted
 * yet, so that any key will do: call `writeKeyCheck` once the key is saved. Throws an error that names the keys when
 * they do not fit.
 */
export async function checkSecretKeys(store: Store): Promise<'fit' | 'new'> {
  try {
    return (await store.get(KEY_CHECK)) === undefined ? 'new' : 'fit';
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Corrupt') throw error;
    throw new Error(`Cannot read Secrets: ${error.failure.problem.replace(/^it is/, 'they are')}`, { cause: error });
  }
}

/** True when a store that was opened without keys has encrypted Secrets. */
export async function hasSealedSecrets(store: Store): Promise<boolean> {
  return (await store.get(KEY_CHECK)) !== undefined;
}

/** Stores a known value, by which later opens recognize other keys. */
export async function writeKeyCheck(store: Store): Promise<void> {
  await store.commit([{ type: 'put', key: KEY_CHECK, value: CHECK_TEXT }]);
}

/**
 * Encrypts every Secret again with the first of the store's keys, and compacts history, so that nothing needs the other
 * keys. Returns the number of Secrets.
 */
export async function resealSecrets(store: Store): Promise<number> {
  let count = 0;
  for (let range = prefixRange(SECRETS_PREFIX); ; ) {
    const { records, more } = await store.range(range, { limit: PER_WRITE });
    const writes = records.map(
      ({ key, value, modRevision }): Operation => ({ type: 'put', key, value, expected: modRevision }),
    );
    if (writes.length > 0) await store.commit(writes);
    count += records.length;
    if (!more) break;
    range = { ...range, start: keyAfter(records.at(-1)!.key) };
  }
  await writeKeyCheck(store);
  await store.compact(store.revision);
  return count;
}
