export { remoteV2 } from './remote-v2.ts';
export type { DefinedSchema } from './schema-source.ts';
export { builtinSchemas, HEAD_DESCRIPTIONS } from './schema-source.ts';
