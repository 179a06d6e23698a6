import type { KubernetesObject } from '@pintle/machinery';
import { invalid, invalidError, StatusError } from '@pintle/machinery/errors';
import { asJson, deepCopy, type JsonValue } from '@pintle/machinery/json';
import { PatchError } from '@pintle/machinery/patch';
import { unknownField } from '../../compat/go-messages.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import { asObject } from '../../resource/served-resource.ts';
import { longTurns, runInTurns } from '../../resource/yield-policy.ts';
import { checkName, setNamespace } from './prepare.ts';
import { readBodyBytes } from './read-body.ts';
import type { Patch } from './read-patch.ts';
import { readPatch, refusedPatch } from './read-patch.ts';
import type { ReadObject } from './restore-object.ts';
import type { Change, DesiredObject } from './write-state.ts';

/** Reads the body of a patch. It is parsed once there is an object to patch: one that is not there is told first. */
export async function readPatchChange(call: EndpointCall, type: string, options: WriteOptions): Promise<Change> {
  const bytes = await readBodyBytes(call);
  let patch: Patch | undefined;
  return {
    async desired(current) {
      patch ??= readPatch(call, type, bytes, options.fieldValidation !== 'Ignore');
      try {
        return await patched(call, options, patch, current);
      } catch (error) {
        throw error instanceof UnfitResult ? await refusal(call, patch, error) : error;
      }
    },
  };
}

/** A patched object that is none of its kind, or none that may be. */
class UnfitResult extends Error {
  override readonly name = 'UnfitResult';
  readonly before: JsonValue;
  constructor(before: JsonValue, why: string) {
    super(why);
    this.before = before;
  }
}

/** Reading may have changed the result, so that what a refusal shows is made anew. */
async function refusal(call: EndpointCall, patch: Patch, { before, message }: UnfitResult): Promise<StatusError> {
  const value = await patch.quote(await applied(call, patch, before), before);
  return invalidError({ group: '', kind: '' }, '', [invalid('patch', value, message)]);
}

/** The patched object, read again by the resource's schema as if it had been sent. */
async function patched(
  call: EndpointCall,
  options: WriteOptions,
  patch: Patch,
  current: KubernetesObject,
): Promise<DesiredObject> {
  const { yielding } = call;
  const live = asJson(current);
  const merged = await yielding.inOwnTurn(() => applied(call, patch, live));
  // The patch may come again when the object moved meanwhile, and what follows changes the object in place.
  const document = await yielding.inOwnTurn(() => deepCopy(merged));
  const refuse = (why: string): UnfitResult => new UnfitResult(live, why);
  const read = await yielding.inOwnTurn(() => restored(patch, document, refuse));
  // Kubernetes reads the patched document in the order of its names.
  const problems = [...patch.problems, ...[...read.unknown].sort().map(unknownField)];
  if (options.fieldValidation === 'Strict' && problems.length > 0) {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (options.fieldValidation === 'Warn') for (const problem of problems) call.warnings.add(problem);
  const object = asObject(read.value, call.resource);
  setNamespace(call, object);
  checkName(call, object);
  return { object, emptied: read.emptied ?? [] };
}

async function applied({ clock }: EndpointCall, patch: Patch, current: JsonValue): Promise<JsonValue> {
  try {
    return await runInTurns(patch.apply(current), longTurns(clock));
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error;
  }
}

function restored(patch: Patch, document: JsonValue, refuse: (why: string) => UnfitResult): ReadObject {
  try {
    return patch.restore(document);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}
