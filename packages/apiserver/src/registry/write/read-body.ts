import { formatGroupVersion, parseGroupVersion } from '@pintle/machinery';
import { badRequestError, requestEntityTooLargeError, StatusError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { canonicalJson, isJsonObject, JsonError, parseJson, parseJsonStrict, visitKeys } from '@pintle/machinery/json';
import {
  duplicateField,
  GO_MAP,
  NO_TYPE,
  typeProblem,
  typeText,
  unknownField,
  unmarshal,
} from '../../compat/go-messages.ts';
import { isOldVersion } from '../../compat/old-versions.ts';
import { otherType } from '../../compat/other-type.ts';
import { UNREADABLE_CUSTOM_SCALE } from '../../compat/schemes.ts';
import type { Encoding } from '../../http/content-negotiation.ts';
import { BodyTooLarge, bodyFormat, readBody } from '../../http/read-body.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { FieldValidation } from '../../resource/options.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { asObject } from '../../resource/served-resource.ts';
import { dedupOwners } from './prepare.ts';
import type { DesiredObject } from './write-state.ts';

/** A parsed document with the problems of strict decoding. */
interface Document {
  readonly value: JsonValue;
  /** Duplicate keys, as sentences for warnings. */
  readonly duplicates: readonly string[];
  /** The same as one text, for an error. */
  readonly refusal: string;
  /** The bytes as sent. */
  readonly bytes: Uint8Array;
  readonly isJson?: true;
  /** Whole numbers that are written as `1.0`, by path. */
  readonly floats?: ReadonlyMap<string, string>;
}

const SHOWN_BYTES = 30;
/** Problems of longer documents are not sorted: that takes time in proportion to the depth, for each key. */
const MAX_ORDERED_BYTES = 16 * 1024;

/** Reads the bytes of the body and passes their number to the yield policy. Throws 413 when there are too many. */
export async function readBodyBytes(context: RequestContext): Promise<Uint8Array> {
  try {
    const bytes = await readBody(context.request);
    context.yielding.weigh(bytes.length);
    return bytes;
  } catch (error) {
    if (error instanceof BodyTooLarge) throw requestEntityTooLargeError(`limit is ${error.maxBytes}`);
    throw error;
  }
}

/** Reads the object in the body of a create or update by the resource's schema. */
export async function decodeBody(context: RequestContext, validation: FieldValidation): Promise<DesiredObject> {
  const format = bodyFormat(context.request, ['json', 'yaml', 'protobuf']);
  const bytes = await readBodyBytes(context);
  const document = await context.yielding.inOwnTurn(() => parse(context, bytes, format));
  return await context.yielding.inOwnTurn(() => readObject(context, document, validation));
}

async function parse({ resource, yielding }: RequestContext, bytes: Uint8Array, format: Encoding): Promise<Document> {
  try {
    if (format === 'json') return parseJsonBody(bytes, resource);
    if (format === 'yaml') {
      const { parseYamlStrict } = await import('@pintle/machinery/yaml');
      const { value: written, duplicates } = parseYamlStrict(bytes);
      const value = await yielding.inOwnTurn(() => inOrder(written));
      return { value, duplicates, refusal: `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`, bytes };
    }
    return { value: await parseProtobufBody(bytes, resource), duplicates: [], refusal: '', bytes };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (resource.isCustom && error instanceof JsonError && error.failure.code === 'NumberOutOfRange') {
      throw unusable(resource, resource.type, message);
    }
    const detail = format === 'json' ? `${NO_TYPE}${message}` : message;
    throw unrecognized(resource, detail, bytes);
  }
}

/** Sorts the keys of YAML: Kubernetes converts it to JSON first, and reports problems in that order. */
function inOrder(value: JsonValue): JsonValue {
  return parseJson(canonicalJson(value));
}

async function parseProtobufBody(bytes: Uint8Array, resource: ServedResource): Promise<JsonObject> {
  const { decodeProtobufObject, UnreadableObject } = await import('../../http/protobuf.ts');
  try {
    return decodeProtobufObject(bytes, resource.type);
  } catch (error) {
    if (!(error instanceof UnreadableObject)) throw error;
    const { kind, apiVersion } = error.type;
    throw unusable(resource, { kind, version: parseGroupVersion(apiVersion)?.version ?? '' }, error.message);
  }
}

function parseJsonBody(bytes: Uint8Array, resource: ServedResource): Document {
  const repeated = resource.isCustom ? 'replace' : 'merge';
  const { value, duplicates, floats } = parseJsonStrict(bytes, { repeated, reportsFloats: !resource.isCustom });
  const sentences = duplicates.map(duplicateField);
  return {
    value,
    duplicates: sentences,
    refusal: sentences.join(', '),
    bytes,
    isJson: true,
    ...(floats && { floats }),
  };
}

/** Returns the error for a document that is not a valid object of the kind it claims. */
function unusable(
  { type, scaleView }: ServedResource,
  { kind, version }: { readonly kind: string; readonly version: string },
  detail: string,
): Error {
  if (scaleView?.parent.isCustom) return badRequestError(UNREADABLE_CUSTOM_SCALE);
  return badRequestError(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${detail}`,
  );
}

function unrecognized(resource: ServedResource, detail: string, bytes: Uint8Array): Error {
  if (resource.scaleView?.parent.isCustom) return badRequestError(UNREADABLE_CUSTOM_SCALE);
  return badRequestError(
    `the object provided is unrecognized (must be of type ${resource.type.kind}): ${detail} (${excerpt(bytes)})`,
  );
}

/** Returns the first bytes: as text when they begin an object, else in hexadecimal. */
function excerpt(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, SHOWN_BYTES));
  const text = head[0] === 0x7b ? head.toString('utf8') : head.toString('hex');
  return bytes.length > SHOWN_BYTES ? `${text} ...` : text;
}

function readObject(context: RequestContext, document: Document, validation: FieldValidation): DesiredObject {
  const { resource } = context;
  const value = document.value ?? {};
  if (resource.isCustom) checkCustomType(resource, document);
  const typed = checkType(context, value, document.bytes);
  const failure = (detail: string): Error => unusable(resource, typed, detail);
  let read: ReturnType<typeof resource.reader.read>;
  try {
    read = resource.reader.read(value, document.floats && { floats: document.floats });
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
  // An object of another kind has no known fields.
  const unknown = typed.kind === resource.type.kind ? read.unknown.map(unknownField) : [];
  const { duplicates, refusal } = document;
  const problems = isReadInOrder(document, resource) ? inOrderOf(document.bytes, duplicates, unknown) : undefined;
  if (validation === 'Strict' && duplicates.length + unknown.length > 0) {
    const texts = problems ?? (duplicates.length > 0 ? [refusal, ...unknown] : unknown);
    throw failure(`strict decoding error: ${texts.join(', ')}`);
  }
  if (validation === 'Warn') for (const text of problems ?? [...duplicates, ...unknown]) context.warnings.add(text);
  const object = asObject(read.value, resource);
  object.kind = typed.kind;
  dedupOwners(object, context.warnings);
  return { object, emptied: read.emptied ?? [] };
}

/** True for JSON of a built-in kind, which Go decodes in one pass; others are checked for duplicates first. */
function isReadInOrder({ isJson, bytes }: Document, { isCustom }: ServedResource): boolean {
  return isJson === true && !isCustom && bytes.length <= MAX_ORDERED_BYTES;
}

/** Returns the sentences in the order of their causes in the document. */
function inOrderOf(bytes: Uint8Array, duplicates: readonly string[], unknown: readonly string[]): readonly string[] {
  if (duplicates.length === 0 || unknown.length === 0) return [...duplicates, ...unknown];
  const left = new Set([...duplicates, ...unknown]);
  const ordered: string[] = [];
  visitKeys(bytes, ({ isRepeated, path }) => {
    const text = isRepeated ? duplicateField(path()) : unknownField(path());
    if (left.delete(text)) ordered.push(text);
  });
  return [...ordered, ...left];
}

/**
 * Returns the kind and version that a body claims; the path provides what is missing. Refuses another kind, except for
 * custom resources.
 */
function checkType(
  { resource, resources }: RequestContext,
  value: JsonValue,
  bytes: Uint8Array,
): { kind: string; version: string } {
  const { type } = resource;
  const unreadable = typeProblem(value);
  if (unreadable !== undefined || !isJsonObject(value)) throw unrecognized(resource, unreadable ?? '', bytes);
  const apiVersion = (value.apiVersion || type.apiVersion) as string;
  const kind = (value.kind || type.kind) as string;
  const groupVersion = parseGroupVersion(apiVersion);
  if (groupVersion === undefined) throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  const other = resource.isCustom ? undefined : otherType(resource, apiVersion, kind);
  if (other === undefined) return { kind, version: groupVersion.version };
  const names = resources.namesOf({ ...type, resource: type.plural });
  const isVersion = isOldVersion(apiVersion, kind) || names.some((name) => formatGroupVersion(name) === apiVersion);
  if (kind === type.kind && isVersion) throw otherVersion(resource, apiVersion);
  throw unusable(resource, { kind, version: groupVersion.version }, other.problem);
}

/**
 * Throws unless a custom object has apiVersion and kind, which are required without a scheme. The kind is compared
 * later.
 */
function checkCustomType(resource: ServedResource, { value, bytes }: Document): void {
  if (value !== null && !isJsonObject(value)) return;
  const [apiVersion, kind] = [value?.apiVersion ?? '', value?.kind ?? ''];
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return;
  if (kind === '') throw unrecognized(resource, `Object 'Kind' is missing in '${Buffer.from(bytes)}'`, bytes);
  if (parseGroupVersion(apiVersion) === undefined) {
    throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  }
  if (apiVersion !== resource.type.apiVersion) throw otherVersion(resource, apiVersion);
}

function otherVersion({ type }: ServedResource, apiVersion: string): Error {
  const expected = `does not match the expected API version (${type.apiVersion})`;
  return badRequestError(`the API version in the data (${apiVersion}) ${expected}`);
}

/** The applied configuration, with its duplicate keys. */
export interface Configuration {
  readonly configuration: JsonObject;
  readonly duplicates: readonly string[];
}

/** The parser, loaded with the first apply: an import takes longer than reading a small object. */
let yaml: typeof import('@pintle/machinery/yaml') | undefined;

/** Reads the configuration in the body of a server-side apply. */
export async function readConfiguration(context: RequestContext): Promise<Configuration> {
  yaml ??= await import('@pintle/machinery/yaml');
  const { parseYamlStrict } = yaml;
  const bytes = await readBodyBytes(context);
  const { value, duplicates } = await context.yielding.inOwnTurn(() => {
    try {
      return parseYamlStrict(bytes);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw badRequestError(`error decoding YAML: error converting YAML to JSON: ${message}`);
    }
  });
  const configuration = value ?? {};
  if (!isJsonObject(configuration)) {
    const problem = `${unmarshal(configuration)} Go value of type ${GO_MAP}`;
    throw badRequestError(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
  }
  checkHead(context, configuration);
  return { configuration, duplicates };
}

function checkHead(context: RequestContext, configuration: JsonObject): void {
  const { type } = context.resource;
  const { apiVersion, kind, metadata } = configuration;
  if (apiVersion !== type.apiVersion || kind !== type.kind) {
    throw badRequestError(`invalid object type: ${typeText(apiVersion, kind)}`);
  }
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined;
  // Other types are refused later, by the schema.
  if (Array.isArray(entries) && entries.every(isJsonObject)) {
    throw badRequestError('metadata.managedFields must be nil');
  }
}
