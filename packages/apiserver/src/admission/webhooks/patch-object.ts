import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { internalError, invalid, invalidError, quote } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { deepCopy, deepEqual, isJsonObject, parseJson, stringifyJson, trustedLimits } from '@pintle/machinery/json';
import type { JsonPatch } from '@pintle/machinery/patch';
import { applyJsonPatch, PatchError, readJsonPatch } from '@pintle/machinery/patch';
import { builtinReader } from '../../registry/builtin-reader.ts';
import { asObject, otherType } from '../../registry/decode-body.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { RequestView } from '../matching/request-view.ts';
import { HookFailure } from './hook-failure.ts';
import { describeRefusal } from './patch-refusal.ts';
import type { ReviewResponse } from './review-response.ts';

/** A patch as a webhook sent it. */
export interface SentPatch {
  readonly operations: readonly JsonValue[];
  readonly patch: JsonPatch;
}

/** The patch in an answer; `undefined` when there is nothing to change. Throws a `HookFailure` when it cannot be read. */
export function readPatch(hook: string, { patch, patchType = 'JSONPatch' }: ReviewResponse): SentPatch | undefined {
  if (patch.length === 0) return undefined;
  try {
    const operations = parseJson(patch, trustedLimits) ?? [];
    const read = readJsonPatch(operations);
    if (read.length === 0) return undefined;
    if (patchType !== 'JSONPatch') throw new HookFailure(hook, `unsupported patch type ${quote(patchType)}`);
    return { operations: operations as readonly JsonValue[], patch: read };
  } catch (error) {
    if (error instanceof HookFailure) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new HookFailure(hook, `received undecodable patch in webhook response: ${why}`, { cause: error });
  }
}

export interface Patched {
  readonly object: KubernetesObject;
  /** The patch made a difference. */
  readonly isChanged: boolean;
}

/**
 * The object of a request with a patch applied: read by the schema of its kind, as if it had been sent, and with its
 * defaults filled in. Throws when it is no object of that kind any more.
 */
export async function patchObject(
  request: AdmissionRequest,
  { object, kind, resource }: RequestView,
  { patch, operations }: SentPatch,
): Promise<Patched> {
  const before = object as unknown as JsonValue;
  const served = await servedAs(request, kind, resource);
  const read = readPatched(served, kind, applied(before, patch, operations));
  const isChanged = !deepEqual(read as unknown as JsonValue, before);
  served.rules?.default?.(read);
  return { object: read, isChanged };
}

function applied(before: JsonValue, patch: JsonPatch, operations: readonly JsonValue[]): JsonObject {
  try {
    const after = deepCopy(applyJsonPatch(before, patch));
    if (isJsonObject(after)) return after;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw internalError(describeRefusal(before, operations, error), { cause: error });
  }
  throw internalError('json: cannot unmarshal array into Go value of type map[string]interface {}');
}

/** How objects of a kind are read: those of the resource itself, or others that are sent to it. */
type Reading = Pick<ServedResource, 'reader' | 'type'> & Partial<Pick<ServedResource, 'rules' | 'isCustom'>>;

async function servedAs(
  { call }: AdmissionRequest,
  kind: GroupVersionKind,
  resource: RequestView['resource'],
): Promise<Reading> {
  const { type } = call.resource;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  if (type.kind === kind.kind && type.apiVersion === apiVersion) return call.resource;
  const served = await call.resources.find(resource);
  if (served?.type.kind === kind.kind && served.type.apiVersion === apiVersion) return served;
  return { type: { ...type, ...kind, apiVersion }, reader: builtinReader(kind) };
}

function readPatched(served: Reading, { group, kind }: GroupVersionKind, document: JsonObject): KubernetesObject {
  const { apiVersion = '', kind: claimed = '' } = document;
  if (served.isCustom) {
    if (typeof claimed !== 'string' || claimed === '') {
      throw internalError(`Object 'Kind' is missing in '${stringifyJson(document)}'`);
    }
    if (claimed !== kind) throw otherKind(group, claimed, kind, document);
  } else {
    const problem = otherType(
      served as ServedResource,
      String(apiVersion || served.type.apiVersion),
      String(claimed || kind),
    );
    if (problem !== undefined) throw internalError(problem);
  }
  try {
    const object = asObject(served.reader.read(document).value, served as ServedResource);
    // A custom object may have been patched into another version, and is converted from that.
    return served.isCustom ? { ...object, apiVersion: String(apiVersion) } : object;
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function otherKind(group: string, claimed: string, kind: string, { metadata }: JsonObject): Error {
  const name = isJsonObject(metadata ?? null) ? (metadata as JsonObject).name : '';
  return invalidError({ group, kind: claimed }, typeof name === 'string' ? name : '', [
    invalid('kind', claimed, `must be ${kind}`),
  ]);
}
