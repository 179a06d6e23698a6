export type { MirrorStoreOptions } from './mirror-store.ts';
export { openMirrorStore } from './mirror-store.ts';
export type { StoreChannel } from './store-channel.ts';
export type { ServeStoreOptions } from './store-service.ts';
export { serveStore } from './store-service.ts';
