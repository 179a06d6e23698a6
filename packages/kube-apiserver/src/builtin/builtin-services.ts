import type { Authenticator } from '@pintle/apiserver';
import type { AccountTokens } from '../auth/tokens/account-tokens.ts';
import type { NodeConnector } from '../nodes/node-connector.ts';

/** Services that some built-in resources need besides the store. */
export interface BuiltinServices {
  readonly authenticator: Authenticator;
  readonly accountTokens: AccountTokens;
  /** Leads to what runs on nodes, where somebody does. */
  readonly nodes: NodeConnector | undefined;
}
