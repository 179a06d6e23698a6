import type { KubernetesObject } from '@pintle/machinery';
import {
  badRequestError,
  forbidden,
  invalid,
  invalidError,
  notFoundError,
  required,
  StatusError,
  serverResponseError,
  unsupportedMediaTypeError,
} from '@pintle/machinery/errors';
import { asJson, deepCopy, type JsonValue } from '@pintle/machinery/json';
import { PatchError } from '@pintle/machinery/patch';
import { unknownField } from '../../compat/go-messages.ts';
import type { ApiResponse } from '../../request/exchange.ts';
import { headerOf } from '../../request/exchange.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { inTurns } from '../../resource/in-turns.ts';
import type { WriteOptions } from '../../resource/options.ts';
import { readWriteOptions } from '../../resource/options.ts';
import { asObject, groupResourceOf } from '../../resource/served-resource.ts';
import { answerObject, negotiateAnswer } from '../response/response.ts';
import { readBodyBytes } from '../write/read-body.ts';
import type { Patch } from '../write/read-patch.ts';
import { readPatch, refusedPatch } from '../write/read-patch.ts';
import type { ReadObject } from '../write/restore-object.ts';
import { applyPatch } from './apply.ts';
import { settleNamespace } from './create.ts';
import { changeObject, settleName } from './update.ts';

const APPLY_PATCH = 'application/apply-patch+yaml';

export async function patch(call: EndpointCall): Promise<ApiResponse> {
  const type = patchType(call);
  if (call.info.name === '') throw badRequestError('name must be provided');
  const options = readPatchOptions(call, type);
  if (type === APPLY_PATCH) return await applyPatch(call, options);
  const form = negotiateAnswer(call);
  const bytes = await readBodyBytes(call);
  let change: Patch | undefined;
  let written: KubernetesObject | undefined;
  try {
    written = await changeObject(call, options, async (current) => {
      if (current === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
      change ??= readPatch(call, type, bytes, options.fieldValidation !== 'Ignore');
      await call.pace.pause();
      return { object: await patched(call, options, change, current) };
    });
  } catch (error) {
    throw error instanceof UnfitResult ? await refusal(call, change!, error) : error;
  }
  if (written === undefined) throw notFoundError(groupResourceOf(call.resource), call.info.name);
  return await answerObject(call, form, 200, written);
}

/** Kubernetes compares the header letter by letter, for built-in kinds once more before, when the route is chosen. */
function patchType(call: EndpointCall): string {
  const { patchTypes, facade } = call.resource;
  const { isCustom } = facade?.of ?? call.resource;
  const header = headerOf(call.request, 'content-type') ?? '';
  const listed = header.split(',').map((part) => withoutParameters(part).trim());
  if (!isCustom && !listed.some((type) => patchTypes.includes(type))) {
    throw serverResponseError({ code: 415, method: 'PATCH', serverMessage: '415: Unsupported Media Type' });
  }
  const type = withoutParameters(header);
  if (patchTypes.includes(type)) return type;
  throw unsupportedMediaTypeError(patchTypes);
}

function withoutParameters(mediaType: string): string {
  const end = mediaType.indexOf(';');
  return end > 0 ? mediaType.slice(0, end) : mediaType;
}

function readPatchOptions(call: EndpointCall, type: string): WriteOptions {
  const errors =
    type === APPLY_PATCH
      ? call.query.get('fieldManager')
        ? []
        : [required('fieldManager', 'is required for apply patch')]
      : call.query.has('force')
        ? [forbidden('force', 'may not be specified for non-apply patch')]
        : [];
  return readWriteOptions(call.query, 'PatchOptions', errors);
}

/** What became of an object is none of its kind, or none that may be. */
class UnfitResult extends Error {
  override readonly name = 'UnfitResult';
  readonly before: JsonValue;
  constructor(before: JsonValue, why: string) {
    super(why);
    this.before = before;
  }
}

/** Reading may have changed the result, so that what a refusal shows is made anew. */
async function refusal(call: EndpointCall, change: Patch, { before, message }: UnfitResult): Promise<StatusError> {
  const value = await change.quote(await applied(call, change, before), before);
  return invalidError({ group: '', kind: '' }, '', [invalid('patch', value, message)]);
}

/** The patched object, read again by the resource's schema as if it had been sent. */
async function patched(
  call: EndpointCall,
  options: WriteOptions,
  change: Patch,
  current: KubernetesObject,
): Promise<KubernetesObject> {
  // The patch may come again when the object moved meanwhile, and what follows changes the object in place.
  const live = asJson(current);
  const merged = await applied(call, change, live);
  await call.pace.pause();
  const document = deepCopy(merged);
  await call.pace.pause();
  const refuse = (why: string): UnfitResult => new UnfitResult(live, why);
  const read = await restored(change, document, refuse);
  await call.pace.pause();
  // Kubernetes reads the patched document in the order of its names.
  const problems = [...change.problems, ...[...read.unknown].sort().map(unknownField)];
  if (options.fieldValidation === 'Strict' && problems.length > 0) {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (options.fieldValidation === 'Warn') for (const problem of problems) call.warnings.add(problem);
  call.sentEmpties.note(read.emptied);
  const next = asObject(read.value, call.resource);
  settleNamespace(call, next);
  settleName(call, next);
  return next;
}

async function applied({ clock }: EndpointCall, change: Patch, current: JsonValue): Promise<JsonValue> {
  try {
    return await inTurns(change.apply(current), clock);
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error;
  }
}

async function restored(change: Patch, document: JsonValue, refuse: (why: string) => UnfitResult): Promise<ReadObject> {
  try {
    return await change.restore(document);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}
