export type { EtcdSnapshot, EtcdSnapshotOptions } from './etcd-snapshot.ts';
export { readEtcdSnapshot } from './etcd-snapshot.ts';
export { EtcdSnapshotError } from './snapshot-error.ts';
