import type { Authenticator } from '@pintle/apiserver';
import type { AccountTokens } from '../auth/tokens/account-tokens.ts';
import type { NodeConnector } from '../nodes/node-connector.ts';

/** Dependencies of some built-in resources besides the store. */
export interface BuiltinServices {
  readonly authenticator: Authenticator;
  readonly accountTokens: AccountTokens;
  /** Connects to nodes; absent when nothing runs there. */
  readonly nodes: NodeConnector | undefined;
}
