import type { Authorizer } from '@pintle/apiserver';
import { AuthorizerChain, alwaysAllow, alwaysDeny } from '@pintle/apiserver/auth';
import type { NodeAuthorizer } from './node/node-authorizer.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';

export const AUTHORIZATION_MODES = ['RBAC', 'Node', 'AlwaysAllow', 'AlwaysDeny'] as const;

/** Values of `--authorization-mode`. */
export type AuthorizationMode = (typeof AUTHORIZATION_MODES)[number];

/** `nodes` must be set when the modes contain `Node`. */
export function authorizerOf(
  modes: readonly AuthorizationMode[],
  rbac: RbacAuthorizer,
  nodes?: NodeAuthorizer | undefined,
): Authorizer {
  const links: Readonly<Record<AuthorizationMode, readonly Authorizer[]>> = {
    RBAC: [rbac],
    Node: nodes === undefined ? [] : [nodes],
    AlwaysAllow: [alwaysAllow],
    AlwaysDeny: [alwaysDeny],
  };
  return new AuthorizerChain(modes.flatMap((mode) => links[mode]));
}
