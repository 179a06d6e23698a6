export { etcdVersions, findEtcd } from './etcd-binary.ts';
export type { EtcdOptions } from './etcd-process.ts';
export { EtcdProcess } from './etcd-process.ts';
