export type { ClusterTransport } from './cluster.ts';
export { DelegatedAuthorizer, DelegatedTokens } from './delegated.ts';
export type { ComputedObjects, ComputedQuery, ExtensionKind } from './extension-kind.ts';
export { extensionKind } from './extension-kind.ts';
export type { ExtensionListenOptions, ExtensionOptions, ExtensionService } from './extension-server.ts';
export { ExtensionServer } from './extension-server.ts';
export type { FrontProxy } from './front-proxy.ts';
export { readFrontProxy } from './front-proxy.ts';
