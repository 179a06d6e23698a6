export type { YamlLimits } from './limits.ts';
export { yamlFileLimits, yamlRequestLimits } from './limits.ts';
export type { StrictYaml, YamlOptions } from './parse.ts';
export { parseYaml, parseYamlDocuments, parseYamlStrict } from './parse.ts';
export { stringifyYaml, stringifyYamlPieces } from './stringify.ts';
export type { YamlFailure } from './yaml-error.ts';
export { YamlError } from './yaml-error.ts';
