import type { Authorizer } from './authorizer.ts';
import { AuthorizerChain, alwaysAllow, alwaysDeny } from './authorizer.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';

export const AUTHORIZATION_MODES = ['RBAC', 'Node', 'AlwaysAllow', 'AlwaysDeny'] as const;

/** As `--authorization-mode` spells them. `Node` gives nodes no more than roles do. */
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

export function authorizerOf(modes: readonly AuthorizationMode[], rbac: RbacAuthorizer): Authorizer {
  const links: Readonly<Record<AuthorizationMode, readonly Authorizer[]>> = {
    RBAC: [rbac],
    Node: [],
    AlwaysAllow: [alwaysAllow],
    AlwaysDeny: [alwaysDeny],
  };
  return new AuthorizerChain(modes.flatMap((mode) => links[mode]));
}
