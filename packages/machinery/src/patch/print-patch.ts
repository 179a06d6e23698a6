import { printPlain } from '../fields/go-print.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { DIRECTIVE, RETAIN_KEYS, SET_ORDER, withoutDirectives } from './strategic-directives.ts';
import { withoutNulls } from './strategic-patch.ts';
import { patchField } from './strategic-schema.ts';

/**
 * Prints a strategic merge patch as in the response that refuses its result: `map[spec:map[replicas:x]]`. Kubernetes
 * removes directives from a patch while it merges it into `document`, so the printed patch lacks them.
 */
export function printPatch(patch: JsonObject, document: JsonValue, schema: Schema | undefined): string {
  return printPlain(isJsonObject(document) ? consumed(patch, document, schema) : patch);
}

function consumed(patch: JsonObject, live: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return withoutDirective(patch);
  const rest: JsonObject = {};
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(SET_ORDER)) continue;
    if (Object.hasOwn(patch, `${SET_ORDER}/${name}`)) continue;
    setOwn(rest, name, consumedValue(patch[name]!, getOwn(live, name), name, schema));
  }
  return rest;
}

function withoutDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  return directive === 'replace' ? rest : patch;
}

function consumedValue(
  change: JsonValue,
  live: JsonValue | undefined,
  name: string,
  schema: Schema | undefined,
): JsonValue {
  if (isJsonObject(change) && isJsonObject(live)) {
    const field = patchField(schema, name);
    return field.strategy === 'replace' ? change : consumed(change, live, field.schema);
  }
  if (Array.isArray(change) && Array.isArray(live)) return consumedList(change, live, name, schema);
  return change === null ? null : withoutInnerDirectives(withoutNulls(change));
}

/** Lists and objects with a directive stay in the patch as they are: only directives in other objects are removed. */
function withoutInnerDirectives(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutInnerDirectives);
  return withoutDirectives(value) ?? value;
}

function consumedList(change: JsonValue[], live: JsonValue[], name: string, schema: Schema | undefined): JsonValue[] {
  const { strategy, mergeKey, schema: list } = patchField(schema, name);
  if (strategy !== 'merge' || mergeKey === '' || change.some(replacesTheList)) return change;
  const byKey = new Map(live.map((item) => [isJsonObject(item) ? getOwn(item, mergeKey) : undefined, item]));
  return change.map((item) => {
    const known = isJsonObject(item) ? byKey.get(getOwn(item, mergeKey)) : undefined;
    const isMerged = isJsonObject(item) && isJsonObject(known) && !Object.hasOwn(item, DIRECTIVE);
    return isMerged ? consumed(item, known, list.items) : item;
  });
}

function replacesTheList(item: JsonValue): boolean {
  return isJsonObject(item) && item[DIRECTIVE] === 'replace';
}
