import type { GroupVersion } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { getOwn, isJsonObject } from '@pintle/machinery/json';
import type { RemoteV2 } from '../discovery/documents.ts';

type Section = 'definitions' | 'parameters';
const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/;

/** Returns the part of an OpenAPI 2 document about a version; `undefined` when it is not such a document or has no part. */
export function remoteV2(document: JsonValue | undefined, { group, version }: GroupVersion): RemoteV2 | undefined {
  if (document === undefined || !isJsonObject(document) || document.swagger !== '2.0') return undefined;
  const prefix = `/apis/${group}/${version}/`;
  const { paths } = document;
  if (paths === undefined || !isJsonObject(paths)) return undefined;
  const own = Object.entries(paths).filter(
    (entry): entry is [string, JsonObject] => `${entry[0]}/`.startsWith(prefix) && isJsonObject(entry[1]),
  );
  return own.length === 0 ? undefined : { paths: new Map(own), ...referencedParts(document, own) };
}

/** Returns everything that the paths refer to, directly or indirectly. */
function referencedParts(
  document: JsonObject,
  paths: readonly [string, JsonObject][],
): Record<Section, Map<string, JsonObject>> {
  const found = { definitions: new Map<string, JsonObject>(), parameters: new Map<string, JsonObject>() };
  const open: JsonValue[] = paths.map(([, item]) => item);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const reference = isJsonObject(value) ? referenceIn(value) : undefined;
    if (reference !== undefined && !found[reference.section].has(reference.name)) {
      const { section, name } = reference;
      const holder = getOwn(document, section);
      const meant = holder !== undefined && isJsonObject(holder) ? getOwn(holder, name) : undefined;
      if (meant !== undefined && isJsonObject(meant)) {
        found[section].set(name, meant);
        open.push(meant);
      }
    }
    for (const item of Object.values(value)) open.push(item as JsonValue);
  }
  return found;
}

function referenceIn(value: JsonObject): { readonly section: Section; readonly name: string } | undefined {
  const reference = getOwn(value, '$ref');
  const match = typeof reference === 'string' ? REFERENCE.exec(reference) : null;
  return match === null ? undefined : { section: match[1] as Section, name: match[2]! };
}

/** Renames definitions and parameters, so that types of two servers with the same name stay apart. */
export function renamed(remote: RemoteV2, rename: (section: Section, name: string) => string): RemoteV2 {
  const all = (entries: ReadonlyMap<string, JsonObject>, section?: Section): Map<string, JsonObject> =>
    new Map(
      [...entries].map(([name, value]) => [
        section === undefined ? name : rename(section, name),
        renameIn(value, rename) as JsonObject,
      ]),
    );
  return {
    paths: all(remote.paths),
    definitions: all(remote.definitions, 'definitions'),
    parameters: all(remote.parameters, 'parameters'),
  };
}

function renameIn(value: JsonValue, rename: (section: Section, name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [key, renameIn(item, rename)]);
  const reference = referenceIn(value);
  const copy = Object.fromEntries(entries);
  if (reference !== undefined) {
    copy.$ref = `#/${reference.section}/${rename(reference.section, reference.name)}`;
  }
  return copy;
}
