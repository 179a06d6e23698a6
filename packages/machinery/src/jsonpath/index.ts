export { Budget } from './evaluate.ts';
export { compileJsonPath, compileJsonPathTemplate, JsonPath, JsonPathTemplate } from './json-path.ts';
export type { JsonPathFailure } from './json-path-error.ts';
export { JsonPathError } from './json-path-error.ts';
