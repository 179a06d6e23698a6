import type { KubernetesObject } from '@pintle/machinery';
import type { StatusError } from '@pintle/machinery/errors';
import {
  badRequestError,
  forbidden,
  invalid,
  invalidError,
  notFoundError,
  requestEntityTooLargeError,
  required,
  serverResponseError,
  unclassifiedError,
  unsupportedMediaTypeError,
} from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { deepCopy, isJsonObject, parseJsonStrict } from '@pintle/machinery/json';
import type { JsonPatch } from '@pintle/machinery/patch';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  PatchError,
  readJsonPatch,
  unknownMembers,
} from '@pintle/machinery/patch';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import { parseMediaType } from '../http/media-type.ts';
import { isTrue } from '../request/request-info.ts';
import { answerObject, negotiateAnswer } from './answer.ts';
import { applyPatch } from './apply.ts';
import { asObject, otherType, readBodyBytes, unknownField } from './decode-body.ts';
import type { EndpointCall } from './endpoint.ts';
import type { WriteOptions } from './options.ts';
import { readWriteOptions } from './options.ts';
import { groupResourceOf } from './served-resource.ts';
import { changeObject, checkSentVersion } from './update.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** A patch that was read: gives the next state of a document. */
interface Patch {
  /** What strict reading holds against the patch itself. */
  readonly problems: readonly string[];
  apply(document: JsonValue): JsonValue;
}

export async function patch(call: EndpointCall): Promise<ApiResponse> {
  const type = patchType(call);
  const options = readPatchOptions(call, type);
  if (type === APPLY_PATCH) return await applyPatch(call, options);
  const form = negotiateAnswer(call, ['Table', 'PartialObjectMetadata']);
  const change = readPatch(call, type, await readBodyBytes(call));
  const written = await changeObject(call, options, (current) => {
    if (current === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
    return { object: patched(call, options, change, current) };
  });
  if (written === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
  return await answerObject(call, form, 200, written);
}

function patchType(call: EndpointCall): string {
  const type = parseMediaType(headerOf(call.request, 'content-type') ?? '')?.type ?? '';
  if (call.resource.patchTypes.includes(type)) return type;
  if (call.resource.isCustom) throw unsupportedMediaTypeError(call.resource.patchTypes);
  throw serverResponseError({ code: 415, method: 'PATCH', serverMessage: '415: Unsupported Media Type' });
}

function readPatchOptions(call: EndpointCall, type: string): WriteOptions {
  const isForced = call.query.has('force') && isTrue(call.query.get('force'));
  const errors =
    type === APPLY_PATCH
      ? call.query.get('fieldManager')
        ? []
        : [required('fieldManager', 'is required for apply patch')]
      : isForced
        ? [forbidden('force', 'may not be specified for non-apply patch')]
        : [];
  return readWriteOptions(call.query, 'PatchOptions', errors);
}

function readPatch(call: EndpointCall, type: string, bytes: Uint8Array): Patch {
  switch (type) {
    case JSON_PATCH:
      return jsonPatch(bytes);
    case MERGE_PATCH:
      return mergePatch(bytes);
    default:
      return strategicPatch(call, bytes);
  }
}

function jsonPatch(bytes: Uint8Array): Patch {
  let operations: JsonPatch;
  let unknown: readonly string[];
  try {
    const { value } = parseJsonStrict(bytes);
    operations = readJsonPatch(value);
    unknown = unknownMembers(value);
  } catch (error) {
    if (error instanceof PatchError) throw refusedPatch(error);
    throw badRequestError(`error decoding patch: ${messageOf(error)}`);
  }
  const problems = unknown.map((path) => `json patch ${unknownField(path)}`);
  return { problems, apply: (document) => applyJsonPatch(document, operations) };
}

function mergePatch(bytes: Uint8Array): Patch {
  const { value, problems } = readObjectPatch(bytes);
  return { problems, apply: (document) => applyMergePatch(document, value) };
}

function strategicPatch(call: EndpointCall, bytes: Uint8Array): Patch {
  const { value, problems } = readObjectPatch(bytes);
  const schema = call.resource.fieldSchema();
  return { problems, apply: (document) => applyStrategicPatch(document, value, schema) };
}

function readObjectPatch(bytes: Uint8Array): { readonly value: JsonObject; readonly problems: readonly string[] } {
  let read: ReturnType<typeof parseJsonStrict>;
  try {
    read = parseJsonStrict(bytes, { repeated: 'merge' });
  } catch (error) {
    throw badRequestError(`error decoding patch: ${messageOf(error)}`);
  }
  const { value, duplicates } = read;
  if (!isJsonObject(value)) {
    const shape = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    throw badRequestError(`json: cannot unmarshal ${shape} into Go value of type map[string]interface {}`);
  }
  return { value, problems: duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) };
}

/** The patched object, read again by the resource's schema as if it had been sent. */
function patched(
  call: EndpointCall,
  options: WriteOptions,
  change: Patch,
  current: KubernetesObject,
): KubernetesObject {
  const { resource } = call;
  let document: JsonValue;
  try {
    document = change.apply(deepCopy(current) as unknown as JsonValue);
  } catch (error) {
    if (error instanceof PatchError) throw refusedPatch(error);
    throw error;
  }
  const refuse = (why: string): StatusError => unreadable(document, why);
  const claimed = isJsonObject(document) ? document : {};
  const problem = otherType(resource, String(claimed.apiVersion ?? ''), String(claimed.kind ?? ''));
  if (problem !== undefined) throw refuse(problem);
  let read: ReturnType<typeof resource.reader.read>;
  try {
    read = resource.reader.read(document);
  } catch (error) {
    throw refuse(messageOf(error));
  }
  // Kubernetes reads the patched document in the order of its names.
  const problems = [...change.problems, ...[...read.unknown].sort().map(unknownField)];
  if (options.fieldValidation === 'Strict' && problems.length > 0) {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (options.fieldValidation === 'Warn') for (const problem of problems) call.warnings.add(problem);
  const next = asObject(read.value, resource);
  checkIdentity(call, next);
  checkSentVersion(call, next, current);
  return next;
}

function checkIdentity(call: EndpointCall, { metadata }: KubernetesObject): void {
  const { name, namespace } = call.info;
  if (metadata.name !== name) {
    throw badRequestError(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  if ((metadata.namespace ?? '') !== (call.resource.type.scope === 'Cluster' ? '' : namespace)) {
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function unreadable(document: JsonValue, why: string): StatusError {
  return invalidError({ group: '', kind: '' }, '', [invalid('patch', JSON.stringify(document, noBigints), why)]);
}

function noBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function refusedPatch(error: PatchError): StatusError {
  switch (error.failure.code) {
    case 'TooManyOperations':
    case 'TooLarge':
      return requestEntityTooLargeError(error.message);
    case 'Malformed':
    case 'BadDirective':
      return badRequestError(error.message);
    case 'CannotMerge':
      return unclassifiedError(500, error.message);
    case 'NotApplicable':
    case 'TestFailed':
    case 'Unsupported':
      return serverResponseError({ code: 422, method: 'PATCH' });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
