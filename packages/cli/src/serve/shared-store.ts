import { checkSecretKeys, hasSealedSecrets, SecretSeal, writeKeyCheck } from '@pintle/apiserver';
import { isStoredObject } from '@pintle/apiserver/storage';
import { realClock } from '@pintle/async';
import { keyAfter, type Store, StoreError } from '@pintle/store';
import type { EtcdStoreOptions } from '@pintle/store-etcd';
import { UsageError } from '../usage-error.ts';
import type { Log } from './log.ts';
import { isHalfMigrated } from './migration-mark.ts';
import { backupSealOf, readSecretKeys, type SealedStore } from './sealed-store.ts';

const PAGE = 1_000;
/** What servers keep beside objects. */
const OWN_PREFIX = '_pintle/';

interface SharedStoreOptions {
  readonly etcd: EtcdStoreOptions;
  /** Keys that all servers have; without, Secrets lie in etcd as they are. */
  readonly secretsKeyFile: string | undefined;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Opens the store that several servers share. Throws UsageError when etcd cannot be used, when the keys of Secrets are
 * others than those of the other servers, or when what lies there was not written by Pintle.
 */
export async function openSharedStore({ etcd, secretsKeyFile, log }: SharedStoreOptions): Promise<SealedStore> {
  const { openEtcdStore } = await import('@pintle/store-etcd');
  const keys = secretsKeyFile === undefined ? undefined : await readSecretKeys(secretsKeyFile);
  if (secretsKeyFile !== undefined && keys === undefined)
    throw new UsageError(`Cannot use --secrets-key-file ${secretsKeyFile}: there is no such file`);
  if (keys === undefined)
    log.warn('Secrets are kept in etcd unencrypted: --secrets-key-file names keys for all servers');
  const store = await openEtcdStore({
    ...etcd,
    clock: realClock,
    ...(keys && { seal: new SecretSeal(keys) }),
    onWarning: (problem) => log.warn(problem),
  }).catch((error: unknown) => {
    if (error instanceof StoreError || error instanceof RangeError)
      throw new UsageError(`Cannot use etcd: ${error.message}`);
    throw error;
  });
  try {
    if (await isHalfMigrated(store))
      throw new UsageError('Cannot use etcd: a migration into it was cut short. Run pintle migrate to-etcd again.');
    if (keys === undefined && (await hasSealedSecrets(store)))
      throw new UsageError('Cannot use etcd: its Secrets are encrypted. Say with which keys with --secrets-key-file.');
    const found = await checkSecretKeys(store).catch((error: Error) => {
      throw new UsageError(`Cannot use etcd: ${error.message}`);
    });
    await refuseForeign(store);
    const settle = async (): Promise<void> => {
      if (keys !== undefined && found === 'new') await writeKeyCheck(store);
    };
    return { store, settle, backupSeal: keys === undefined ? {} : backupSealOf(keys) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Objects of kube-apiserver lie in another form under other keys: a server that wrote among them would spoil both. */
async function refuseForeign(store: Store): Promise<void> {
  for (let start = '', more = true; more; ) {
    const page = await store.range({ start }, { limit: PAGE, onDamaged: () => undefined });
    const foreign = page.records.find(({ key, value }) => !key.startsWith(OWN_PREFIX) && !isStoredObject(value));
    if (foreign !== undefined)
      throw new UsageError(
        `Cannot use this prefix of etcd: ${JSON.stringify(foreign.key)} was not written by Pintle. Choose another with --etcd-prefix.`,
      );
    more = page.more;
    start = keyAfter(page.records.at(-1)?.key ?? start);
  }
}
