export { compareUtf8 } from './compare-utf8.ts';
export { deepCopy, deepEqual, freezeDeep } from './deep.ts';
export { JsonError, type JsonFailure } from './json-error.ts';
export { type JsonLimits, requestLimits, trustedLimits } from './limits.ts';
export { isInt64 } from './number.ts';
export { getOwn, getPath, isJsonObject, setOwn } from './object.ts';
export { type JsonOptions, parseJson, parseJsonStrict, type StrictJson } from './parse.ts';
export { canonicalJson, encodeJson, stringifyJson } from './stringify.ts';
export type { JsonObject, JsonValue } from './value.ts';
