import { stat } from 'node:fs/promises';
import type { PlaneSnapshot } from './options.ts';

export interface EtcdSnapshotOptions {
  /** Default: `/registry`, the prefix of kube-apiserver. */
  readonly prefix?: string;
  /** Text of the EncryptionConfiguration of the cluster. Default: objects that are encrypted are left out. */
  readonly encryptionConfig?: string;
}

/**
 * Reads the file that `etcdctl snapshot save` made of the etcd of a cluster, for planes that start with its objects:
 *
 *     await using plane = await startControlPlane({ from: etcdSnapshot('cluster.db') });
 *
 * The file stays as it is. The time of the plane begins with that of the file. Objects that cannot be read are left out.
 */
export async function etcdSnapshot(file: string, options: EtcdSnapshotOptions = {}): Promise<PlaneSnapshot> {
  const [{ readEtcdSnapshot }, { importIntoMemory }, { KubernetesLayout, parseEncryptionConfig, ValueEncryption }] =
    await Promise.all([
      import('@pintle/store-etcd/snapshot'),
      import('@pintle/store/backup'),
      import('@pintle/kube-apiserver/storage'),
    ]);
  const { prefix = '/registry', encryptionConfig } = options;
  const config = encryptionConfig === undefined ? [] : parseEncryptionConfig(encryptionConfig);
  const paths = { prefix: prefix.endsWith('/') ? prefix : `${prefix}/` };
  const layout = new KubernetesLayout({ ...paths, encryption: await ValueEncryption.create(config) });
  const nowMs = Math.floor((await stat(file).catch(() => undefined))?.mtimeMs ?? 0);
  const { records, revision } = await readEtcdSnapshot(file, { ...paths, layout, nowMs });
  const disk = await importIntoMemory({ records: pageOf(records), revision, bumpBy: 0 });
  return { nowMs, disk, isForeign: true, options: {} };
}

async function* pageOf<T>(records: readonly T[]): AsyncGenerator<readonly T[]> {
  yield records;
}
