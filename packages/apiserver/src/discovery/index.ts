export type { CatalogGroup, CatalogResource, CatalogVersion, RemoteDocuments } from './catalog.ts';
export { DiscoveryCatalog } from './catalog.ts';
export type { RemoteV2, SchemaSource } from './documents.ts';
