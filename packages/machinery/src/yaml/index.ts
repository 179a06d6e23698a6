export { type YamlLimits, yamlFileLimits, yamlRequestLimits } from './limits.ts';
export { parseYaml, parseYamlDocuments, parseYamlStrict, type StrictYaml, type YamlOptions } from './parse.ts';
export { stringifyYaml, stringifyYamlPieces } from './stringify.ts';
export { YamlError, type YamlFailure } from './yaml-error.ts';
