import { unmarshal } from '@pintle/apiserver/compat';
import type { KubernetesObject } from '@pintle/machinery';
import { describeFieldError, FieldPath } from '@pintle/machinery/errors';
import { asJson, deepCopy, isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '@pintle/machinery/json';
import { validateAnnotations, validateLabels } from '@pintle/machinery/names';
import { goType } from './nested-value.ts';

/** Request to a conversion webhook. */
interface ConversionRequest {
  readonly review: { readonly apiVersion: string; readonly kind: string };
  readonly uid: string;
  /** The desired version. */
  readonly apiVersion: string;
  readonly originals: readonly KubernetesObject[];
}

/**
 * `problem` follows `conversion webhook for example.com/v1, Kind=Thing `; `unreadable` is the whole message when the
 * response is not an object.
 */
export type Converted =
  | { readonly objects: KubernetesObject[] }
  | { readonly problem: string }
  | { readonly unreadable: string };

/**
 * Reads the objects of a ConversionReview. A webhook may change everything but the identity of an object: of its
 * metadata only labels and annotations count.
 */
export function readConverted(response: JsonObject, request: ConversionRequest): Converted {
  const refusal = refusalOf(response, request);
  if (refusal !== undefined) return { problem: `failed: ${refusal}` };
  const converted = (response.response as JsonObject).convertedObjects;
  const list = Array.isArray(converted) ? converted : [];
  const { originals } = request;
  if (list.length !== originals.length) {
    return { problem: `returned ${list.length} objects, expected ${originals.length}` };
  }
  for (const object of list) {
    const unreadable = whyUnreadable(object);
    if (unreadable !== undefined) return { unreadable };
  }
  for (const [i, object] of (list as JsonObject[]).entries()) {
    const problem = problemOf(object, originals[i]!, request.apiVersion, i);
    if (problem !== undefined) return { problem };
  }
  return { objects: list as unknown as KubernetesObject[] };
}

function whyUnreadable(object: JsonValue): string | undefined {
  if (object === null) return 'unexpected end of JSON input';
  if (!isJsonObject(object)) return `${unmarshal(object)} Go value of type map[string]interface {}`;
  return typeof object.kind !== 'string' || object.kind === ''
    ? `Object 'Kind' is missing in '${stringifyJson(object)}'`
    : undefined;
}

function refusalOf(answer: JsonObject, { review, uid }: ConversionRequest): string | undefined {
  const { apiVersion = '', kind = '', response } = answer;
  if (kind === review.kind && isOtherVersion(apiVersion, review.apiVersion)) {
    const [answered, asked] = [apiVersion, review.apiVersion].map((version) => String(version).split('/')[1]);
    return `converting (${answered}.${kind}) to (${asked}.${kind}): unknown conversion`;
  }
  // In older reviews Kubernetes checks neither kind nor uid; missing fields are taken from the request.
  const isOld = review.apiVersion.endsWith('/v1beta1');
  const isLeftOut =
    isOld && [review.apiVersion, ''].includes(String(apiVersion)) && (kind === '' || kind === review.kind);
  if (!isLeftOut && (apiVersion !== review.apiVersion || kind !== review.kind)) {
    const got = `${apiVersion === '' ? '/' : String(apiVersion)}, Kind=${String(kind)}`;
    return `expected webhook response of ${review.apiVersion}, Kind=${review.kind}, got ${got}`;
  }
  const mismatch = mismatchIn(response ?? null, review.apiVersion.split('/')[1]!);
  if (mismatch !== undefined) return mismatch;
  if (!isJsonObject(response ?? null)) return 'no response provided';
  const { uid: answered = '', result } = response as JsonObject;
  if (!isOld && answered !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`;
  }
  const { status = '', message } = isJsonObject(result ?? null) ? (result as JsonObject) : {};
  if (status === 'Success') return undefined;
  if (typeof message === 'string' && message !== '') return message;
  return `response.result.status was '${String(status)}', not 'Success'`;
}

/** Returns the problem of the first field that has a wrong type, in Go's words. */
function mismatchIn(response: JsonValue, version: string): string | undefined {
  if (response === null) return undefined;
  if (!isJsonObject(response)) return wrongType(response, 'ConversionReview.response', `${version}.ConversionResponse`);
  const { uid = null, convertedObjects = null, result = null } = response;
  const at = 'ConversionResponse.response';
  if (uid !== null && typeof uid !== 'string') return wrongType(uid, `${at}.uid`, 'types.UID');
  if (convertedObjects !== null && !Array.isArray(convertedObjects)) {
    return wrongType(convertedObjects, `${at}.convertedObjects`, '[]runtime.RawExtension');
  }
  if (result === null) return undefined;
  if (!isJsonObject(result)) return wrongType(result, `${at}.result`, 'v1.Status');
  const wrong = ['status', 'message'].find((name) => typeof (result[name] ?? '') !== 'string');
  return wrong && wrongType(result[wrong]!, `Status.response.result.${wrong}`, 'string');
}

function wrongType(value: JsonValue, field: string, type: string): string {
  return `${unmarshal(value)} Go struct field ${field} of type ${type}`;
}

/** True for a known version of reviews that is not the requested one. */
function isOtherVersion(apiVersion: JsonValue, asked: string): boolean {
  return apiVersion !== asked && /^apiextensions\.k8s\.io\/v1(?:beta1)?$/.test(String(apiVersion));
}

function problemOf(
  object: JsonObject,
  original: KubernetesObject,
  apiVersion: string,
  index: number,
): string | undefined {
  const at = `returned invalid object at index ${index}`;
  const { apiVersion: version = '', kind = '' } = object;
  if (version !== apiVersion) {
    return `${at}: invalid groupVersion (expected ${apiVersion}, received ${typeof version === 'string' ? version : ''})`;
  }
  if (kind !== original.kind) return `${at}: invalid kind (expected ${original.kind}, received ${String(kind)})`;
  const change = identityChange(object, original);
  if (change !== undefined) return `returned invalid object: ${change}`;
  const problem = restoreMetadata(object, original);
  return problem && `returned invalid metadata: ${problem}`;
}

function identityChange({ metadata }: JsonObject, original: KubernetesObject): string | undefined {
  const meta = isJsonObject(metadata ?? null) ? (metadata as JsonObject) : {};
  const { name = '', namespace = '', uid = '' } = original.metadata;
  const textIn = (field: string): string => (typeof meta[field] === 'string' ? meta[field] : '');
  if (textIn('name') !== name) return `must have the same name: ${name} != ${textIn('name')}`;
  if (textIn('namespace') !== namespace) return `must have the same namespace: ${namespace} != ${textIn('namespace')}`;
  if (textIn('uid') !== uid) return `must have the same UID: ${uid} != ${textIn('uid')}`;
  return undefined;
}

/** Puts the original's metadata into the converted object, with the labels and annotations of the webhook. */
function restoreMetadata(object: JsonObject, original: KubernetesObject): string | undefined {
  if (object.metadata === undefined) return 'missing metadata in converted object';
  if (!isJsonObject(object.metadata)) return `invalid metadata of type ${goType(object.metadata)} in converted object`;
  const given = object.metadata;
  const restored = asJson(deepCopy(original.metadata));
  for (const field of ['labels', 'annotations'] as const) {
    const problem = takeTexts(field, given[field], restored);
    if (problem !== undefined) return problem;
  }
  object.metadata = restored;
  return undefined;
}

function takeTexts(
  field: 'labels' | 'annotations',
  given: JsonValue | undefined,
  restored: JsonObject,
): string | undefined {
  if (given === undefined || given === null) {
    delete restored[field];
    return undefined;
  }
  if (!isJsonObject(given)) return `invalid metadata.${field} of type ${goType(given)} in converted object`;
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
  }
  const texts = given as Record<string, string>;
  const errors =
    field === 'labels'
      ? validateLabels(texts, FieldPath.of('metadata', 'labels'))
      : validateAnnotations(texts, FieldPath.of('metadata', 'annotation'));
  if (errors.length > 0) return joinErrors(errors.map(describeFieldError));
  // As in Kubernetes, whose metadata omits empty maps.
  if (Object.keys(given).length === 0) delete restored[field];
  else restored[field] = given;
  return undefined;
}

function joinErrors(texts: readonly string[]): string {
  return texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
}
