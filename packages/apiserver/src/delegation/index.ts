export type { ClusterTransport } from './cluster.ts';
export { DelegatedAuthorizer, DelegatedTokens } from './delegated.ts';
export type { Delegation } from './delegation.ts';
export { delegateTo } from './delegation.ts';
export type { ApiRegistration } from './register-api.ts';
export { registerApi } from './register-api.ts';
