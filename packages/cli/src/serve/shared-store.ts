import { realClock } from '@pintle/async';
import { KubernetesLayout, parseEncryptionConfig, ValueEncryption } from '@pintle/kube-apiserver/storage';
import { type Store, StoreError } from '@pintle/store';
import type { EtcdStoreOptions } from '@pintle/store-etcd';
import { UsageError } from '../usage-error.ts';
import type { Log } from './log.ts';
import { isHalfMigrated } from './migration-mark.ts';
import { backupSealOf, readSecretKeys, type SealedStore } from './sealed-store.ts';

const SECRETS = 'core/secrets';

/** Options of the etcd that holds the objects. */
export interface EtcdOptions extends Pick<EtcdStoreOptions, 'endpoints' | 'tls' | 'compactionIntervalMs'> {
  readonly prefix: string;
  /** Text of an EncryptionConfiguration. Default: objects are not encrypted. */
  readonly encryptionConfig?: string;
}

interface SharedStoreOptions {
  readonly etcd: EtcdOptions;
  /** Path of the keys that encrypt Secrets in backups. Default: they are not encrypted there. */
  readonly secretsKeyFile: string | undefined;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Opens the store that several servers share, kube-apiserver among them. Throws UsageError when etcd cannot be used, or when a
 * migration into it was not finished.
 */
export async function openSharedStore({ etcd, secretsKeyFile, log }: SharedStoreOptions): Promise<SealedStore> {
  const keys = secretsKeyFile === undefined ? undefined : await readSecretKeys(secretsKeyFile);
  if (secretsKeyFile !== undefined && keys === undefined)
    throw new UsageError(`Cannot use --secrets-key-file ${secretsKeyFile}: no such file`);
  const store = await openEtcd(etcd, log);
  try {
    if (await isHalfMigrated(store))
      throw new UsageError('Cannot use etcd: a migration into it was cut short. Run pintle migrate to-etcd again.');
    return { store, writeKeyCheck: async () => {}, backupSeal: keys === undefined ? {} : backupSealOf(keys) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens an etcd whose objects lie there as Kubernetes stores them. Throws UsageError when it cannot be used. */
export async function openEtcd({ encryptionConfig, ...options }: EtcdOptions, log: Pick<Log, 'warn'>): Promise<Store> {
  const { openEtcdStore } = await import('@pintle/store-etcd');
  const encryption = await readEncryption(encryptionConfig);
  if (!encryption.isEncrypted(SECRETS))
    log.warn('Secrets in etcd are not encrypted; pass the same --encryption-provider-config to all servers');
  const layout = new KubernetesLayout({ prefix: options.prefix, encryption });
  try {
    return await openEtcdStore({ ...options, layout, clock: realClock, onWarning: (problem) => log.warn(problem) });
  } catch (error) {
    if (error instanceof StoreError || error instanceof RangeError)
      throw new UsageError(`Cannot use etcd: ${error.message}`);
    throw error;
  }
}

/** Returns the layout of objects below a prefix. Throws UsageError when the EncryptionConfiguration cannot be used. */
export async function layoutOf(prefix: string, encryptionConfig: string | undefined): Promise<KubernetesLayout> {
  return new KubernetesLayout({ prefix, encryption: await readEncryption(encryptionConfig) });
}

async function readEncryption(config: string | undefined): Promise<ValueEncryption> {
  try {
    return await ValueEncryption.create(config === undefined ? [] : parseEncryptionConfig(config));
  } catch (error) {
    throw new UsageError(`Cannot use --encryption-provider-config: ${(error as Error).message}`);
  }
}
