export { converterOf } from './converter.ts';
export { customCatalogVersion } from './custom-catalog.ts';
export { customResource } from './custom-resource.ts';
export { VersionSchemas } from './version-schemas.ts';
