export type { AuthorizationMode } from './auth/authorization-mode.ts';
export { AUTHORIZATION_MODES } from './auth/authorization-mode.ts';
export type { SecretTokenClaims } from './auth/tokens/account-claims.ts';
export { signSecretToken } from './auth/tokens/account-tokens.ts';
export type { ServiceAccountOptions } from './auth/tokens/service-account-options.ts';
export type { TokenKeyFiles } from './auth/tokens/token-keys.ts';
export { generateTokenKey, readTokenKeys } from './auth/tokens/token-keys.ts';
export type { KubeApiServerOptions } from './kube-api-server.ts';
export { KubeApiServer } from './kube-api-server.ts';
export type {
  ContainerRef,
  ContainerStreams,
  LogOptions,
  NodeConnector,
  TerminalSize,
} from './nodes/node-connector.ts';
