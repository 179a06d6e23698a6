import { schemaOf } from '@pintle/kinds/schemas';
import type { ResourceType } from '@pintle/machinery';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
import { internalError, invalid, invalidError, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { asJson, canonicalJson, getPath, isJsonObject, parseJson } from '@pintle/machinery/json';
import { restoreProblem } from '@pintle/machinery/patch';
import type { ExplicitEmpty } from '@pintle/machinery/schema';
import { compileTyped } from '@pintle/machinery/schema';
import { typeProblem, withoutField } from '../../compat/go-messages.ts';
import { otherType } from '../../compat/other-type.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { asObject, convertBetween } from '../../resource/served-resource.ts';
import { versionNamed } from '../../resource/version-named.ts';

/** An object read by its schema, with the paths of unknown fields. */
export interface ReadObject {
  readonly value: JsonObject;
  readonly unknown: readonly string[];
  readonly emptied?: readonly ExplicitEmpty[];
}

/** Numbers that a patch writes as `1.0`, by their path in the patched document. */
type Floats = ReadonlyMap<string, string>;

/**
 * Reads a patched document as if a client had sent it. Throws with the reason as message when it is not an object of
 * the resource, or StatusError when Kubernetes finds that later.
 */
export async function restorePatched(
  context: RequestContext,
  document: JsonValue,
  floats: Floats | undefined,
): Promise<ReadObject> {
  const version = isJsonObject(document) ? await versionNamed(context, context.resource, document) : undefined;
  try {
    return restoreAsListed(context, document, version, floats);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    // Kubernetes reads a patched document in the order of its keys, and reports the first problem.
    return restoreAsListed(context, parseJson(canonicalJson(document)), version, floats);
  }
}

function restoreAsListed(
  context: RequestContext,
  document: JsonValue,
  version: ServedResource | undefined,
  floats: Floats | undefined,
): ReadObject {
  const problem = typeProblem(document);
  if (problem !== undefined) throw new TypeError(problem);
  const object = document as JsonObject;
  if (version !== undefined) return restoreFromVersion(context, object, version, floats);
  return context.resource.isCustom ? restoreCustom(context, object) : restoreBuiltIn(context.resource, object, floats);
}

/** Reads a document by the version it claims, fills in defaults, and converts it to the version of the request. */
function restoreFromVersion(
  context: RequestContext,
  document: JsonObject,
  version: ServedResource,
  floats: Floats | undefined,
): ReadObject {
  const { value, unknown } = version.reader.read(document, floats && { floats });
  const object = asObject(value, version);
  version.rules.default?.(object, context.yielding);
  return { value: convertBetween(version, context.resource, asJson(object)), unknown };
}

function restoreBuiltIn(resource: ServedResource, object: JsonObject, floats: Floats | undefined): ReadObject {
  const kind = (object.kind || resource.type.kind) as string;
  const apiVersion = (object.apiVersion || '') as string;
  if (apiVersion === '') return readAsInternal(object);
  const other = otherType(resource, apiVersion, kind);
  if (other === undefined) return resource.reader.read(object, floats && { floats });
  const gvk = gvkOf({ apiVersion, kind });
  const schema = gvk && schemaOf(gvk);
  if (schema !== undefined) compileTyped(schema).read(object);
  throw new TypeError(other.problem);
}

/** Reads an object without a version: Kubernetes takes that for its internal version, which has no JSON fields. */
function readAsInternal({ apiVersion: _apiVersion, kind: _kind, ...rest }: JsonObject): ReadObject {
  return { value: {}, unknown: Object.keys(rest) };
}

function restoreCustom({ resource, info }: RequestContext, object: JsonObject): ReadObject {
  const kind = (object.kind ?? '') as string;
  const apiVersion = (object.apiVersion ?? '') as string;
  const claimed = apiVersion === '' ? undefined : parseGroupVersion(apiVersion);
  if (claimed === undefined && apiVersion !== '') throw new TypeError(`unexpected GroupVersion string: ${apiVersion}`);
  if (kind === '') throw new TypeError(`Object 'Kind' is missing in '${canonicalJson(object)}'`);
  if (object.apiVersion === null) {
    throw new TypeError('.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  }
  if (claimed === undefined) throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const { type, reader } = resource;
  const read = reader.read(object);
  // A write to the status ignores everything else, even the kind.
  if (info.subresource === 'status') Object.assign(read.value, { apiVersion: type.apiVersion, kind: type.kind });
  else checkClaim(type, object, { group: claimed.group, kind });
  return read;
}

function checkClaim(type: ResourceType, object: JsonObject, claimed: Pick<ResourceType, 'group' | 'kind'>): void {
  const problems = [];
  if (claimed.kind !== type.kind) problems.push(invalid('kind', claimed.kind, `must be ${type.kind}`));
  if (object.apiVersion !== type.apiVersion) {
    problems.push(invalid('apiVersion', object.apiVersion, `must be ${type.apiVersion}`));
  }
  if (problems.length === 0) return;
  const name = getPath(object, 'metadata', 'name');
  throw invalidError(claimed, typeof name === 'string' ? name : '', problems);
}

/**
 * Reads the result of a strategic merge, whatever apiVersion and kind it claims. It is never encoded as JSON, so that
 * problems have another wording. Throws with the reason as message.
 */
export function restoreMerged({ resource }: RequestContext, document: JsonValue): ReadObject {
  const problem = restoreProblem(document, resource.fieldSchema());
  if (problem !== undefined) throw new TypeError(problem);
  try {
    return resource.reader.read(isJsonObject(document) ? document : {});
  } catch (error) {
    throw error instanceof Error ? new TypeError(withoutField(error.message), { cause: error }) : error;
  }
}
