import { type Revision, StoreError } from '@pintle/store';
import type { PreparedOperation } from '@pintle/store/replica';
import type { KeySpace } from './key-space.ts';
import { TARGET } from './rpc/messages.ts';
import type { TxnRequest, TxnResponse } from './rpc/methods.ts';

type Conditional = PreparedOperation & { readonly expected: Revision };

/** Returns etcd's transaction: conditions, writes if all hold, else reads of the keys that may conflict. */
export function toTxn(
  operations: readonly PreparedOperation[],
  keys: KeySpace,
  leases: ReadonlyMap<number, bigint>,
): TxnRequest {
  const conditional = operations
    .filter(isConditional)
    .map(({ key, expected }) => ({ key: keys.toEtcd(key), expected }));
  return {
    compare: conditional.map(({ key, expected }) => ({ target: TARGET.modRevision, key, modRevision: expected })),
    success: operations.flatMap((operation) => writeOf(operation, keys, leases)),
    failure: conditional.map(({ key }) => ({ range: { key, keysOnly: true } })),
  };
}

function writeOf(
  operation: PreparedOperation,
  keys: KeySpace,
  leases: ReadonlyMap<number, bigint>,
): NonNullable<TxnRequest['success']> {
  if (operation.type === 'check') return [];
  const key = keys.toEtcd(operation.key);
  if (operation.type === 'delete') return [{ delete: { key } }];
  const lease = operation.ttlMs === undefined ? undefined : leases.get(operation.ttlMs);
  return [{ put: { key, value: operation.sealed, lease } }];
}

/** Returns the error for the first condition that did not hold. */
export function conflictOf(operations: readonly PreparedOperation[], { responses }: TxnResponse): StoreError {
  for (const [index, { key, expected }] of operations.filter(isConditional).entries()) {
    const found = responses[index]?.range?.kvs[0];
    if ((found?.modRevision ?? 0) === expected) continue;
    const actual = found && { modRevision: found.modRevision as Revision, version: found.version };
    return new StoreError({ code: 'Conflict', key, expected, ...(actual && { actual }) });
  }
  return new StoreError({ code: 'Unavailable', problem: 'etcd refused a transaction whose conditions hold' });
}

function isConditional(operation: PreparedOperation): operation is Conditional {
  return operation.expected !== undefined;
}
