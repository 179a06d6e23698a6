export type { ListType, MapType, Schema, SchemaType, ValidationRule, ZeroRule } from './schema.ts';
