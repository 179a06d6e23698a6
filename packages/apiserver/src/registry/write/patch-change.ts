import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import {
  badRequestError,
  invalid,
  invalidError,
  requestEntityTooLargeError,
  StatusError,
  serverResponseError,
  unclassifiedError,
  unsupportedMediaTypeError,
} from '@pintle/machinery/errors';
import type { JsonObject, JsonValue, StrictJson } from '@pintle/machinery/json';
import { asJson, deepCopy, isJsonObject, JsonError, parseJson, parseJsonStrict } from '@pintle/machinery/json';
import {
  applyJsonPatchInSteps,
  applyMergePatch,
  applyStrategicPatch,
  floatsIn,
  PatchError,
  printPatch,
  readJsonPatch,
  unknownMembers,
} from '@pintle/machinery/patch';
import type { Steps } from '@pintle/machinery/rules';
import { duplicateField, GO_MAP, unknownField, unmarshal } from '../../compat/go-messages.ts';
import { headerOf } from '../../request/exchange.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { WriteOptions } from '../../resource/options.ts';
import { asObject } from '../../resource/served-resource.ts';
import { longTurns, runInTurns } from '../../resource/yield-policy.ts';
import { checkName, setNamespace } from './prepare.ts';
import { type Opened, openedByMerge, openedByOperations, quoteDocument } from './quote-document.ts';
import { readBodyBytes } from './read-body.ts';
import { type ReadObject, restoreMerged, restorePatched } from './restore-object.ts';
import type { Change, DesiredObject } from './write-state.ts';

/** Media types of patches. */
export const APPLY_PATCH = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';

/**
 * Returns the media type of the patch. Throws 415 for one that the resource does not accept. Kubernetes compares the
 * header literally, and for built-in kinds once more before, when it chooses the route.
 */
export function patchType({ resource, request }: RequestContext): string {
  const { patchTypes, scaleView } = resource;
  const { isCustom } = scaleView?.parent ?? resource;
  const header = headerOf(request, 'content-type') ?? '';
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

/** Reads the body of a patch. Parses it only when there is an object to patch: a missing object is reported first. */
export async function readPatchChange(context: RequestContext, type: string, options: WriteOptions): Promise<Change> {
  const bytes = await readBodyBytes(context);
  let patch: Patch | undefined;
  return {
    async desired(current) {
      patch ??= readPatch(context, type, bytes, options.fieldValidation !== 'Ignore');
      try {
        return await patched(context, options, patch, current);
      } catch (error) {
        throw error instanceof UnfitResult ? await refusal(context, patch, error) : error;
      }
    },
  };
}

/** Thrown when a patched object is not a valid object of its kind. */
class UnfitResult extends Error {
  override readonly name = 'UnfitResult';
  readonly before: JsonValue;
  constructor(before: JsonValue, why: string) {
    super(why);
    this.before = before;
  }
}

/** Returns the error for an invalid result. Patches again for the text, because reading may have changed the result. */
async function refusal(context: RequestContext, patch: Patch, { before, message }: UnfitResult): Promise<StatusError> {
  const value = await patch.quote(await applied(context, patch, before), before);
  return invalidError({ group: '', kind: '' }, '', [invalid('patch', value, message)]);
}

/** Returns the patched object, read by the resource's schema as if a client had sent it. */
async function patched(
  context: RequestContext,
  options: WriteOptions,
  patch: Patch,
  current: KubernetesObject,
): Promise<DesiredObject> {
  const { yielding } = context;
  const live = asJson(current);
  const merged = await yielding.inOwnTurn(() => applied(context, patch, live));
  // The patch may be applied again after a conflict, and later steps change the object in place.
  const document = await yielding.inOwnTurn(() => deepCopy(merged));
  const refuse = (why: string): UnfitResult => new UnfitResult(live, why);
  const read = await yielding.inOwnTurn(() => restored(patch, document, refuse));
  const isOrdered = read.unknown.length > 1 && !context.resource.isCustom;
  const unknown = (isOrdered && (await patch.unknownInOrder?.(merged, live))) || [...read.unknown].sort();
  const problems = [...patch.problems, ...unknown.map(unknownField)];
  if (options.fieldValidation === 'Strict' && problems.length > 0) {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (options.fieldValidation === 'Warn') for (const problem of problems) context.warnings.add(problem);
  const object = asObject(read.value, context.resource);
  setNamespace(context, object);
  checkName(context, object);
  return { object, emptied: read.emptied ?? [] };
}

async function applied({ clock, yielding }: RequestContext, patch: Patch, current: JsonValue): Promise<JsonValue> {
  try {
    return await runInTurns(patch.apply(current), longTurns(clock, yielding.ownTurn));
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error;
  }
}

async function restored(patch: Patch, document: JsonValue, refuse: (why: string) => UnfitResult): Promise<ReadObject> {
  try {
    return await patch.restore(document);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

/** A parsed patch. */
interface Patch {
  /** Problems of strict decoding in the patch itself. */
  readonly problems: readonly string[];
  /**
   * Returns the patched document. The given one is unchanged, but may share values with the result. Throws
   * `PatchError`.
   */
  apply(document: JsonValue): Steps<JsonValue>;
  /** Reads the patched document as an object. Throws or rejects with the reason as message when that fails. */
  restore(document: JsonValue): Eventual<ReadObject>;
  /** Returns the text of the patched document for an error; `current` is the document before. */
  quote(document: JsonValue, current: JsonValue): Eventual<string>;
  /** Returns the paths of unknown fields in the order that Kubernetes reports them in. Default: sorted. */
  unknownInOrder?(document: JsonValue, current: JsonValue): Eventual<readonly string[]>;
}

/** Parses a patch of a media type. `isValidated`: unknown fields are reported. */
function readPatch(context: RequestContext, type: string, bytes: Uint8Array, isValidated: boolean): Patch {
  try {
    switch (type) {
      case JSON_PATCH:
        return jsonPatch(context, bytes, isValidated);
      case MERGE_PATCH:
        return mergePatch(context, bytes, isValidated);
      default:
        return strategicPatch(context, bytes);
    }
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error;
  }
}

function jsonPatch(context: RequestContext, bytes: Uint8Array, isValidated: boolean): Patch {
  const prefix = isValidated ? 'error decoding patch: ' : '';
  const { value, duplicates, floats } = parse(bytes, (why) => `${prefix}${why}`);
  const unknown = isValidated ? prefixed(prefix, () => unknownMembers(value)) : [];
  const operations = readJsonPatch(value, floats);
  const problems = [...unknown.map(unknownField), ...duplicates].map((problem) => `json patch ${problem}`);
  return {
    problems,
    apply: (document) => applyJsonPatchInSteps(document, operations),
    ...patchedAsText(context, openedByOperations(operations), (document) => floats && floatsIn(document, operations)),
  };
}

const NO_PATCH = 'Invalid JSON Patch';

function mergePatch(context: RequestContext, bytes: Uint8Array, isValidated: boolean): Patch {
  const { value, duplicates, floats } = parse(bytes, (why) =>
    isValidated ? `error decoding patch: ${why}` : NO_PATCH,
  );
  const isReadable = isValidated ? isJsonObject(value) : typeof value === 'object' && value !== null;
  if (value === null || (!isReadable && !isValidated)) throw badRequestError(NO_PATCH);
  if (!isReadable) throw badRequestError(`error decoding patch: ${unmarshal(value)} Go value of type ${GO_MAP}`);
  return {
    problems: duplicates,
    apply: (document) => inOneStep(() => applyMergePatch(document, value)),
    // A merge leaves each value at the path that it has in the patch.
    ...patchedAsText(context, openedByMerge(value), () => floats),
  };
}

/** Reads and quotes a document that Kubernetes patches as text: numbers and the order of fields are those of the text. */
function patchedAsText(
  context: RequestContext,
  opened: Opened,
  literalsIn: (document: JsonValue) => ReadonlyMap<string, string> | undefined,
): Pick<Patch, 'restore' | 'quote' | 'unknownInOrder'> {
  const { resource, yielding } = context;
  const quote: Patch['quote'] = (document, current) =>
    quoteDocument(resource, document, current, { opened, literals: literalsIn(document) }, yielding);
  return {
    quote,
    restore: (document) => restorePatched(context, document, literalsIn(document)),
    async unknownInOrder(document, current) {
      const text = await quote(document, current);
      const printed = await yielding.inOwnTurn(() => parseJson(text));
      return (await restorePatched(context, printed, undefined)).unknown;
    },
  };
}

function strategicPatch(context: RequestContext, bytes: Uint8Array): Patch {
  const { value, duplicates } = parse(bytes, (why) => why);
  const patch: JsonObject | undefined = value === null ? {} : isJsonObject(value) ? value : undefined;
  if (patch === undefined) throw badRequestError(`${unmarshal(value)} Go value of type ${GO_MAP}`);
  const schema = context.resource.fieldSchema();
  return {
    problems: duplicates,
    apply: (document) => inOneStep(() => applyStrategicPatch(document, patch, schema)),
    restore: (document) => restoreMerged(context, document),
    quote: (_document, current) => printPatch(patch, current, schema),
  };
}

function* inOneStep<T>(work: () => T): Steps<T> {
  const done = work();
  yield;
  return done;
}

/** Parses a body; of duplicate keys the last one counts. */
function parse(bytes: Uint8Array, describe: (why: string) => string): StrictJson {
  try {
    const read = parseJsonStrict(bytes, { repeated: 'replace', reportsFloats: true });
    return { ...read, duplicates: read.duplicates.map(duplicateField) };
  } catch (error) {
    if (error instanceof JsonError) throw badRequestError(describe(error.message));
    throw error;
  }
}

function prefixed<T>(prefix: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PatchError) throw badRequestError(`${prefix}${error.message}`);
    throw error;
  }
}

/** Returns the error for a patch that cannot be parsed or applied. */
function refusedPatch(error: PatchError): StatusError {
  switch (error.failure.code) {
    case 'TooManyOperations':
      return requestEntityTooLargeError(error.message);
    case 'Malformed':
    case 'BadDirective':
      return badRequestError(error.message);
    case 'CannotMerge':
      return unclassifiedError(500, error.message);
    case 'NotApplicable':
    case 'TestFailed':
    case 'TooLarge':
    case 'TooDeep':
    case 'Unsupported':
      return serverResponseError({ code: 422, method: 'PATCH' });
  }
}
