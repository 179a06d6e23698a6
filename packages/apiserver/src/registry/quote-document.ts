import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { canonicalJson, compareUtf8, getOwn, isJsonObject } from '@pintle/machinery/json';
import { metadataFields } from '@pintle/machinery/names';
import type { ServedResource } from './served-resource.ts';

/** In the order of Kubernetes' types. */
const OWNER = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];
const MANAGER = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'];

/**
 * A patched document as it stands in the refusal of it: what the patch went through is sorted by name, and so is all of
 * a custom resource; metadata that it left alone is in the order of its type.
 */
export function quoteDocument(
  { isCustom }: ServedResource,
  document: JsonValue,
  { isAboutMetadata }: { readonly isAboutMetadata: boolean },
): string {
  if (isCustom || !isJsonObject(document)) return escaped(canonicalJson(document));
  const { metadata } = document;
  if (!isJsonObject(metadata)) return escaped(canonicalJson(document));
  return escaped(
    print(document, sortedNames(document), {
      metadata: () =>
        print(metadata, isAboutMetadata ? sortedNames(metadata) : namesInOrder(metadata, metadataFields), {
          ownerReferences: () => printItems(metadata.ownerReferences, OWNER),
          managedFields: () => printItems(metadata.managedFields, MANAGER),
        }),
    }),
  );
}

function printItems(items: JsonValue | undefined, order: readonly string[]): string {
  if (!Array.isArray(items)) return canonicalJson(items ?? null);
  const texts = items.map((item) =>
    isJsonObject(item) ? print(item, namesInOrder(item, order), {}) : canonicalJson(item),
  );
  return `[${texts.join(',')}]`;
}

function print(object: JsonObject, names: readonly string[], own: Readonly<Record<string, () => string>>): string {
  const members = names.map((name) => {
    const text = getOwn(own, name)?.() ?? canonicalJson(object[name]);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}

function namesInOrder(object: JsonObject, order: readonly string[]): readonly string[] {
  const known = order.filter((name) => Object.hasOwn(object, name));
  return [...known, ...sortedNames(object).filter((name) => !order.includes(name))];
}

function sortedNames(object: JsonObject): readonly string[] {
  return Object.keys(object).sort(compareUtf8);
}

/** Go writes JSON so that it can stand in HTML. */
function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
