import type { Clock } from '@pintle/async';
import type { Store } from '@pintle/store';
import type { AccountTokenOptions } from './account-tokens.ts';
import { AccountTokens } from './account-tokens.ts';
import type { TokenKeyFiles } from './token-keys.ts';
import { generateTokenKey, readTokenKeys } from './token-keys.ts';

/** How tokens of service accounts are signed and verified. */
export interface ServiceAccountOptions
  extends Partial<Pick<AccountTokenOptions, 'issuers' | 'audiences' | 'maxSeconds' | 'jwksUri'>> {
  /** Asked for when the first token is seen. Default: one that is made for this run. */
  readonly keys?: () => TokenKeyFiles | Promise<TokenKeyFiles>;
  /** What is given to accounts beside tokens, for them to know the server by: certificates in PEM. */
  readonly rootCa?: string;
}

const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

export function accountTokensOf(options: {
  readonly store: Store;
  readonly clock: Clock;
  readonly serviceAccounts?: ServiceAccountOptions;
  readonly onLegacyUse: NonNullable<AccountTokenOptions['onLegacyUse']>;
}): AccountTokens {
  const { store, clock, serviceAccounts = {}, onLegacyUse } = options;
  const { keys = freshKeys, rootCa: _rootCa, ...rest } = serviceAccounts;
  return new AccountTokens({
    issuers: [DEFAULT_ISSUER],
    ...rest,
    keys: async () => readTokenKeys(await keys()),
    store,
    clock,
    onLegacyUse,
  });
}

async function freshKeys(): Promise<TokenKeyFiles> {
  return { signing: await generateTokenKey() };
}
