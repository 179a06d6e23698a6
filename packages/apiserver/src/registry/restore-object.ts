import { schemaOf } from '@pintle/kinds/schemas';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
import { invalid, invalidError, quote, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { canonicalJson, getPath, isJsonObject, parseJson } from '@pintle/machinery/json';
import { unrestorable } from '@pintle/machinery/patch';
import type { SentEmpty } from '@pintle/machinery/schema';
import { compileTyped } from '@pintle/machinery/schema';
import { otherType, typeProblem } from './decode-body.ts';
import type { EndpointCall } from './endpoint.ts';
import type { ServedResource } from './served-resource.ts';

/** An object as its schema has it, and the paths of what the schema does not know. */
export interface ReadObject {
  readonly value: JsonObject;
  readonly unknown: readonly string[];
  readonly emptied?: readonly SentEmpty[];
}

/**
 * Reads a patched document as if it had been sent. Throws with the reason as message when it is no object of the
 * resource, or StatusError when Kubernetes finds out only later.
 */
export function restorePatched(call: EndpointCall, document: JsonValue): ReadObject {
  try {
    return restoreAsListed(call, document);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    // Kubernetes reads the names of a patched document in their order, and tells the first thing that it finds.
    return restoreAsListed(call, parseJson(canonicalJson(document)));
  }
}

function restoreAsListed(call: EndpointCall, document: JsonValue): ReadObject {
  const problem = typeProblem(document);
  if (problem !== undefined) throw new TypeError(problem);
  const object = document as JsonObject;
  return call.resource.isCustom ? restoreCustom(call, object) : restoreBuiltIn(call.resource, object);
}

function restoreBuiltIn(resource: ServedResource, object: JsonObject): ReadObject {
  const kind = (object.kind || resource.type.kind) as string;
  const apiVersion = (object.apiVersion || '') as string;
  if (apiVersion === '') return readAsInternal(object);
  const other = otherType(resource, apiVersion, kind);
  if (other === undefined) return resource.reader.read(object);
  const gvk = gvkOf({ apiVersion, kind });
  const schema = gvk && schemaOf(gvk);
  if (schema !== undefined) compileTyped(schema).read(object);
  throw new TypeError(other.problem);
}

/** Without a version Kubernetes takes an object for one of its internal version, whose fields no JSON names. */
function readAsInternal({ apiVersion: _apiVersion, kind: _kind, ...rest }: JsonObject): ReadObject {
  return { value: {}, unknown: Object.keys(rest) };
}

function restoreCustom(call: EndpointCall, object: JsonObject): ReadObject {
  const { resource } = call;
  const { type } = resource;
  const kind = (object.kind ?? '') as string;
  if (kind === '') throw new TypeError(`Object 'Kind' is missing in '${canonicalJson(object)}'`);
  checkConvertible(call, (object.apiVersion ?? '') as string, kind);
  const read = resource.reader.read(object);
  if (kind === type.kind) return read;
  const name = getPath(object, 'metadata', 'name');
  throw invalidError({ group: type.group, kind }, typeof name === 'string' ? name : '', [
    invalid('kind', kind, `must be ${type.kind}`),
  ]);
}

/** A custom resource may claim to be of any version of its own. */
function checkConvertible({ resource, resources }: EndpointCall, apiVersion: string, kind: string): void {
  const { type } = resource;
  const claimed = apiVersion === '' ? { group: '', version: '' } : parseGroupVersion(apiVersion);
  if (claimed === undefined) throw new TypeError(`unexpected GroupVersion string: ${apiVersion}`);
  if (claimed.group !== type.group) {
    const gvk = `${claimed.group}/${claimed.version}, Kind=${kind}`;
    throw new TypeError(`${gvk} is unstructured and is not suitable for converting to ${quote(type.apiVersion)}`);
  }
  if (resources.has({ ...claimed, resource: type.plural })) return;
  throw new TypeError(`request to convert CR from an invalid group/version: ${apiVersion}`);
}

/**
 * Reads the result of a strategic merge, whatever apiVersion and kind it claims: it is never written as JSON, so that
 * misfits are told in other words. Throws with the reason as message.
 */
export function restoreMerged({ resource }: EndpointCall, document: JsonValue): ReadObject {
  const problem = unrestorable(document, resource.fieldSchema());
  if (problem !== undefined) throw new TypeError(problem);
  try {
    return resource.reader.read(isJsonObject(document) ? document : {});
  } catch (error) {
    throw error instanceof Error ? new TypeError(inOtherWords(error.message), { cause: error }) : error;
  }
}

/** Values that read themselves do so alone, where nobody knows what field they are for. */
function inOtherWords(message: string): string {
  if (message.startsWith('illegal base64')) return `error decoding from json: ${message}`;
  return message.replace(/ Go struct field \S+ of type /, ' Go value of type ');
}
