import type { Eventual } from '@pintle/async';
import type { StatusError } from '@pintle/machinery/errors';
import {
  badRequestError,
  requestEntityTooLargeError,
  serverResponseError,
  unclassifiedError,
} from '@pintle/machinery/errors';
import type { JsonObject, JsonValue, StrictJson } from '@pintle/machinery/json';
import { isJsonObject, JsonError, parseJsonStrict } from '@pintle/machinery/json';
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
import { unknownField, unmarshal } from '../../compat/go-messages.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { openedByMerge, openedByOperations, quoteDocument } from './quote-document.ts';
import { type ReadObject, restoreMerged, restorePatched } from './restore-object.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';

/** A patch that was read. */
export interface Patch {
  /** What strict reading holds against the patch itself. */
  readonly problems: readonly string[];
  /** The next state of a document, which stays as it is but may share with the next. Throws `PatchError`. */
  apply(document: JsonValue): Steps<JsonValue>;
  /** The object that the next state is. Throws or rejects when it is none, with the reason as message. */
  restore(document: JsonValue): Eventual<ReadObject>;
  /** What a refusal of the next state shows; `current` is the state before. */
  quote(document: JsonValue, current: JsonValue): Eventual<string>;
}

/** Reads a patch of a media type. `isValidated`: who sent it wants to hear of fields that nobody knows. */
export function readPatch(call: EndpointCall, type: string, bytes: Uint8Array, isValidated: boolean): Patch {
  try {
    switch (type) {
      case JSON_PATCH:
        return jsonPatch(call, bytes, isValidated);
      case MERGE_PATCH:
        return mergePatch(call, bytes, isValidated);
      default:
        return strategicPatch(call, bytes);
    }
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error;
  }
}

function jsonPatch(call: EndpointCall, bytes: Uint8Array, isValidated: boolean): Patch {
  const prefix = isValidated ? 'error decoding patch: ' : '';
  const { value, duplicates, floats } = parse(bytes, (why) => `${prefix}${why}`);
  const unknown = isValidated ? prefixed(prefix, () => unknownMembers(value)) : [];
  const operations = readJsonPatch(value, floats);
  const problems = [...unknown.map(unknownField), ...duplicates].map((problem) => `json patch ${problem}`);
  return {
    problems,
    apply: (document) => applyJsonPatchInSteps(document, operations),
    restore: (document) => restorePatched(call, document, floats && floatsIn(document, operations)),
    quote: (document, current) =>
      quoteDocument(call.resource, document, current, openedByOperations(operations), call.pace),
  };
}

const NO_PATCH = 'Invalid JSON Patch';

function mergePatch(call: EndpointCall, bytes: Uint8Array, isValidated: boolean): Patch {
  const { value, duplicates, floats } = parse(bytes, (why) =>
    isValidated ? `error decoding patch: ${why}` : NO_PATCH,
  );
  const isReadable = isValidated ? isJsonObject(value) : typeof value === 'object' && value !== null;
  if (value === null || (!isReadable && !isValidated)) throw badRequestError(NO_PATCH);
  if (!isReadable) throw badRequestError(`error decoding patch: ${unmarshal(value)} Go value of type ${GO_MAP}`);
  return {
    problems: duplicates,
    apply: (document) => inOneStep(() => applyMergePatch(document, value)),
    // A merge leaves what it sets at the path it has in the patch.
    restore: (document) => restorePatched(call, document, floats),
    quote: (document, current) => quoteDocument(call.resource, document, current, openedByMerge(value), call.pace),
  };
}

const GO_MAP = 'map[string]interface {}';

function strategicPatch(call: EndpointCall, bytes: Uint8Array): Patch {
  const { value, duplicates } = parse(bytes, (why) => why);
  const patch: JsonObject | undefined = value === null ? {} : isJsonObject(value) ? value : undefined;
  if (patch === undefined) throw badRequestError(`${unmarshal(value)} Go value of type ${GO_MAP}`);
  const schema = call.resource.fieldSchema();
  return {
    problems: duplicates,
    apply: (document) => inOneStep(() => applyStrategicPatch(document, patch, schema)),
    restore: (document) => restoreMerged(call, document),
    quote: (_document, current) => printPatch(patch, current, schema),
  };
}

function* inOneStep<T>(work: () => T): Steps<T> {
  const done = work();
  yield;
  return done;
}

/** The document of a body; of names that stand twice the last counts. */
function parse(bytes: Uint8Array, describe: (why: string) => string): StrictJson {
  try {
    const read = parseJsonStrict(bytes, { repeated: 'replace', tellsFloats: true });
    return { ...read, duplicates: read.duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`) };
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

/** What a client hears about a patch that cannot be read or does not apply. */
export function refusedPatch(error: PatchError): StatusError {
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
