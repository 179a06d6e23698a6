export type { EtcdStoreOptions } from './etcd-store.ts';
export { openEtcdStore } from './etcd-store.ts';
export type { TlsOptions } from './rpc/endpoint.ts';
