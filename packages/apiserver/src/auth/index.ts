export type { AuthenticationOptions } from './authenticator.ts';
export { bearerToken, UNKNOWN_TOKEN, withAuthenticatedGroup } from './authenticator.ts';
export type { UserRules } from './authorizer.ts';
export { AuthorizerChain, alwaysAllow, alwaysDeny, isMaster } from './authorizer.ts';
export type { Permission } from './permission.ts';
export { denialOf, isAllowed, toRequest } from './permission.ts';
export { serviceAccountGroups, serviceAccountUsername, splitServiceAccountName } from './service-account-name.ts';
