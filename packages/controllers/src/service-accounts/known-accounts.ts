import type { CacheReader } from '@pintle/client';
import { ServiceAccount } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { identityMetadata } from '../common/identity-metadata.ts';

/** Informer of all service accounts that holds their names and uids. */
export const ACCOUNTS = { isMetadataOnly: true, transform: identityMetadata<ServiceAccount> } as const;

/** Returns the cached accounts, without their content. Call while a controller watches `ACCOUNTS`. */
export function knownAccounts({ informers }: Manager): CacheReader<ServiceAccount> {
  using shared = informers.share(ServiceAccount, ACCOUNTS);
  return shared.informer.cache;
}
