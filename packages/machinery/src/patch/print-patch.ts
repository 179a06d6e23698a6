import { printPlain } from '../fields/go-print.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../json/index.ts';
import type { Schema } from '../schema/index.ts';
import { DIRECTIVE, RETAIN_KEYS, SET_ORDER, withoutDirectives } from './strategic-directives.ts';
import { withoutNulls } from './strategic-patch.ts';
import { patchField } from './strategic-schema.ts';

/**
 * A strategic merge patch as it stands in the answer that refuses its result: `map[spec:map[replicas:x]]`. Kubernetes
 * uses patches up while it merges them into `document`, so what told it how to merge is missing.
 */
export function printPatch(patch: JsonObject, document: JsonValue, schema: Schema | undefined): string {
  return printPlain(isJsonObject(document) ? spent(patch, document, schema) : patch);
}

function spent(patch: JsonObject, live: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return spentDirective(patch);
  const rest: JsonObject = {};
  for (const name of Object.keys(patch)) {
    if (name === RETAIN_KEYS || name.startsWith(SET_ORDER)) continue;
    if (Object.hasOwn(patch, `${SET_ORDER}/${name}`)) continue;
    setOwn(rest, name, spentValue(patch[name]!, getOwn(live, name), name, schema));
  }
  return rest;
}

function spentDirective(patch: JsonObject): JsonObject {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  return directive === 'replace' ? rest : patch;
}

function spentValue(
  change: JsonValue,
  live: JsonValue | undefined,
  name: string,
  schema: Schema | undefined,
): JsonValue {
  if (isJsonObject(change) && isJsonObject(live)) {
    const field = patchField(schema, name);
    return field.strategy === 'replace' ? change : spent(change, live, field.schema);
  }
  if (Array.isArray(change) && Array.isArray(live)) return spentList(change, live, name, schema);
  return change === null ? null : withoutInnerDirectives(withoutNulls(change));
}

/** A list stays in the patch as it is, and so does an object with a directive: only what lies in other objects goes. */
function withoutInnerDirectives(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutInnerDirectives);
  return withoutDirectives(value) ?? value;
}

function spentList(change: JsonValue[], live: JsonValue[], name: string, schema: Schema | undefined): JsonValue[] {
  const { strategy, mergeKey, schema: list } = patchField(schema, name);
  if (strategy !== 'merge' || mergeKey === '' || change.some(replacesTheList)) return change;
  const byKey = new Map(live.map((item) => [isJsonObject(item) ? getOwn(item, mergeKey) : undefined, item]));
  return change.map((item) => {
    const known = isJsonObject(item) ? byKey.get(getOwn(item, mergeKey)) : undefined;
    const isMerged = isJsonObject(item) && isJsonObject(known) && !Object.hasOwn(item, DIRECTIVE);
    return isMerged ? spent(item, known, list.items) : item;
  });
}

function replacesTheList(item: JsonValue): boolean {
  return isJsonObject(item) && item[DIRECTIVE] === 'replace';
}
