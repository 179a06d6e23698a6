export { customCatalogVersion } from './custom-catalog.ts';
export { customResource } from './custom-resource.ts';
