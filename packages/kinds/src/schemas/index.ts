export { schemaOf, schemaOfType } from './schemas.ts';
export type { OpenApiSchema } from './type-table.ts';
export { gvksOf, openapiOfType, typeNameOf, typeNames } from './type-table.ts';
