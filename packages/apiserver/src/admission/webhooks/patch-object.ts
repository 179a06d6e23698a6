import type { KubernetesObject } from '@pintle/machinery';
import { internalError, quote, unclassifiedError } from '@pintle/machinery/errors';
import {
  asJson,
  deepCopy,
  deepEqual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  requestLimits,
  trustedLimits,
} from '@pintle/machinery/json';
import type { JsonPatch } from '@pintle/machinery/patch';
import { applyJsonPatch, PatchError, readJsonPatch } from '@pintle/machinery/patch';
import { GO_MAP, unmarshal } from '../../compat/go-messages.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { RequestView } from '../matching/request-view.ts';
import { limitPatchedSize } from '../patching/limit-patched-size.ts';
import { claimedBy, readPatched, servedAs } from '../patching/read-patched.ts';
import { HookFailure } from './hook.ts';
import { describeRefusal } from './patch-refusal.ts';
import type { ReviewResponse } from './review-response.ts';

/** A patch has no more tokens than a request. The limit of the response bounds its bytes. */
const LIMITS = { ...trustedLimits, maxTokens: requestLimits.maxTokens };

/** A patch as a webhook sent it. */
export interface SentPatch {
  readonly operations: readonly JsonValue[];
  readonly patch: JsonPatch;
}

/**
 * Returns the patch of a response; `undefined` when it changes nothing. Throws a `HookFailure` when it cannot be read.
 */
export function readPatch(hook: string, { patch, patchType = 'JSONPatch' }: ReviewResponse): SentPatch | undefined {
  if (patch.length === 0) return undefined;
  try {
    const operations = parseJson(patch, LIMITS) ?? [];
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

interface Patched {
  readonly object: KubernetesObject;
  readonly isChanged: boolean;
}

/**
 * Applies a patch to the object of a request, then reads it by the schema of its kind and fills in defaults, as if a
 * client had sent it. Throws when it is no longer an object of that kind.
 */
export async function patchObject(
  request: AdmissionRequest,
  view: RequestView,
  { patch, operations }: SentPatch,
): Promise<Patched> {
  const before = asJson(view.object!);
  const asked = await servedAs(request, view);
  const document = applied(before, patch, operations);
  const served = await claimedBy(request, asked, document);
  const { yielding } = request.context;
  limitPatchedSize(request, document);
  const read = await yielding.inOwnTurn(() =>
    readPatched(served, view.kind, deepCopy(document), (problem) => unclassifiedError(500, problem)),
  );
  const isChanged = await yielding.inOwnTurn(() => !deepEqual(asJson(read), before));
  served.rules?.default?.(read, yielding);
  return { object: read, isChanged };
}

function applied(before: JsonValue, patch: JsonPatch, operations: readonly JsonValue[]): JsonObject {
  try {
    const after = applyJsonPatch(before, patch);
    if (isJsonObject(after)) return after;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw internalError(describeRefusal(before, operations, error), { cause: error });
  }
  throw internalError(`${unmarshal([])} Go value of type ${GO_MAP}`);
}
