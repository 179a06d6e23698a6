import { printAsText, printPlain, typeName } from '../fields/go-print.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import { PatchError } from './patch-error.ts';

export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
export const SET_ORDER = '$setElementOrder';

export function cannotMerge(problem: string): PatchError {
  return new PatchError({ code: 'CannotMerge', problem });
}

export function unknownDirective(directive: JsonValue | undefined, patch: JsonObject): PatchError {
  return cannotMerge(`unknown patch type: ${printAsText(directive)} in map: ${printPlain(patch)}`);
}

/** Returns Go's name of a value's type, for an error about a wrong type. */
export function receivedType(value: JsonValue | undefined): string {
  return value === null || value === undefined ? '%!s(<nil>)' : typeName(value);
}

/** Returns a value without the objects that have `$patch`, which have no effect here; `undefined` if it is one itself. */
export function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const rest: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = withoutDirectives(value[name]!);
    if (member !== undefined) setOwn(rest, name, member);
  }
  return rest;
}
