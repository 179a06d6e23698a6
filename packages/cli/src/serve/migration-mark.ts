import type { Store } from '@pintle/store';

/** Stands in a store while objects are moved into it. */
export const MIGRATION_MARK = '_pintle/migrating';

/** True when a migration into the store was not finished. */
export async function isHalfMigrated(store: Store): Promise<boolean> {
  return (await store.get(MIGRATION_MARK)) !== undefined;
}
