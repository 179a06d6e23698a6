export type { PreparedOperation } from '../mvcc/transaction.ts';
export { copyOfValue, prepare } from '../mvcc/transaction.ts';
export type { ReplicatedChange, ReplicatedRecord } from './replica.ts';
export { Replica } from './replica.ts';
