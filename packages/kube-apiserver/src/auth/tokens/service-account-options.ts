import type { Clock } from '@pintle/async';
import type { Store } from '@pintle/store';
import type { AccountTokenOptions } from './account-tokens.ts';
import { AccountTokens } from './account-tokens.ts';
import type { TokenKeyFiles } from './token-keys.ts';
import { generateTokenKey, readTokenKeys } from './token-keys.ts';

/** Options for signing and verifying tokens of service accounts. */
export interface ServiceAccountOptions
  extends Partial<Pick<AccountTokenOptions, 'issuers' | 'audiences' | 'maxSeconds' | 'jwksUri'>> {
  /** Called with the first token. Default: a key that is generated for this run. */
  readonly keys?: () => TokenKeyFiles | Promise<TokenKeyFiles>;
  /** PEM certificates of the server's authority, which are mounted beside tokens. */
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
