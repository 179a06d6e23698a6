import type { KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion, parseGroupVersion } from '@pintle/machinery';
import {
  badRequestError,
  invalid,
  invalidError,
  quote,
  requestEntityTooLargeError,
  StatusError,
} from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { canonicalJson, isJsonObject, JsonError, parseJson, parseJsonStrict, visitKeys } from '@pintle/machinery/json';
import { otherType, typeProblem, unknownField } from '../../compat/go-messages.ts';
import { isOldVersion } from '../../compat/old-versions.ts';
import { bodyFormat } from '../../http/body-format.ts';
import type { Encoding } from '../../http/content-negotiation.ts';
import { BodyTooLarge, readBody } from '../../http/read-body.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { FieldValidation } from '../../resource/options.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { asObject } from '../../resource/served-resource.ts';
import { dedupOwners } from './owner-references.ts';

/** A document that was read, with what strict reading found. */
interface Document {
  readonly value: JsonValue;
  /** Names that stand twice, as sentences for warnings. */
  readonly duplicates: readonly string[];
  /** The same as one text, for a refusal. */
  readonly refusal: string;
  /** As it was sent. */
  readonly bytes: Uint8Array;
  readonly isJson?: true;
  /** Whole numbers that are written as `1.0`, by their paths. */
  readonly floats?: ReadonlyMap<string, string>;
}

const SHOWN_BYTES = 30;
/** Problems of longer documents are not sorted: that takes as long as the document is deep, for each of its keys. */
const MAX_ORDERED_BYTES = 16 * 1024;

/** The bytes of the body, which sets the pace; 413 when there are too many. */
export async function readBodyBytes(call: EndpointCall): Promise<Uint8Array> {
  try {
    const bytes = await readBody(call.request);
    call.pace.weigh(bytes.length);
    return bytes;
  } catch (error) {
    if (error instanceof BodyTooLarge) throw requestEntityTooLargeError(`limit is ${error.maxBytes}`);
    throw error;
  }
}

/** The object in the body of a create or update, read by the resource's schema. */
export async function decodeBody(call: EndpointCall, validation: FieldValidation): Promise<KubernetesObject> {
  const format = bodyFormat(call.request, ['json', 'yaml', 'protobuf']);
  const bytes = await readBodyBytes(call);
  await call.pace.pause();
  const document = await parse(call, bytes, format);
  await call.pace.pause();
  const object = readObject(call, document, validation);
  await call.pace.pause();
  return object;
}

async function parse({ resource, pace }: EndpointCall, bytes: Uint8Array, format: Encoding): Promise<Document> {
  try {
    if (format === 'json') return parseJsonBody(bytes, resource);
    if (format === 'yaml') {
      const { parseYamlStrict } = await import('@pintle/machinery/yaml');
      const { value: written, duplicates } = parseYamlStrict(bytes);
      await pace.pause();
      const value = inOrder(written);
      return { value, duplicates, refusal: `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`, bytes };
    }
    return { value: await parseProtobufBody(bytes, resource), duplicates: [], refusal: '', bytes };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    if (resource.isCustom && error instanceof JsonError && error.failure.code === 'NumberOutOfRange') {
      throw unusable(resource, resource.type, message);
    }
    const detail = format === 'json' ? `couldn't get version/kind; json parse error: ${message}` : message;
    throw unrecognized(resource, detail, bytes);
  }
}

/** Kubernetes makes JSON of YAML, by name, before it reads it: what it finds wrong it finds in that order. */
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
  const { value, duplicates, floats } = parseJsonStrict(bytes, { repeated, tellsFloats: !resource.isCustom });
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

const NO_SCALE =
  'no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781"';

/** The document says what it is, and cannot be that. */
function unusable(
  { type, facade }: ServedResource,
  { kind, version }: { readonly kind: string; readonly version: string },
  detail: string,
): Error {
  // What is wrong with the scale of a custom resource never comes out: Kubernetes stumbles over its own words.
  if (facade?.of.isCustom) return badRequestError(NO_SCALE);
  return badRequestError(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}: ${detail}`,
  );
}

function unrecognized(resource: ServedResource, detail: string, bytes: Uint8Array): Error {
  if (resource.facade?.of.isCustom) return badRequestError(NO_SCALE);
  return badRequestError(
    `the object provided is unrecognized (must be of type ${resource.type.kind}): ${detail} (${excerpt(bytes)})`,
  );
}

/** The first bytes: as text when they begin an object, else in hexadecimal. */
function excerpt(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, SHOWN_BYTES));
  const text = head[0] === 0x7b ? head.toString('utf8') : head.toString('hex');
  return bytes.length > SHOWN_BYTES ? `${text} ...` : text;
}

function readObject(call: EndpointCall, document: Document, validation: FieldValidation): KubernetesObject {
  const { resource } = call;
  const value = document.value ?? {};
  if (resource.isCustom) checkCustomType(resource, document);
  const typed = checkType(call, value, document.bytes);
  const failure = (detail: string): Error => unusable(resource, typed, detail);
  let read: ReturnType<typeof resource.reader.read>;
  try {
    read = resource.reader.read(value, document.floats && { floats: document.floats });
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
  // What is of another kind has no fields that would be known.
  const unknown = typed.kind === resource.type.kind ? read.unknown.map(unknownField) : [];
  const { duplicates, refusal } = document;
  const problems = isReadInOrder(document, resource) ? inOrderOf(document.bytes, duplicates, unknown) : undefined;
  if (validation === 'Strict' && duplicates.length + unknown.length > 0) {
    const texts = problems ?? (duplicates.length > 0 ? [refusal, ...unknown] : unknown);
    throw failure(`strict decoding error: ${texts.join(', ')}`);
  }
  if (validation === 'Warn') for (const text of problems ?? [...duplicates, ...unknown]) call.warnings.add(text);
  call.sentEmpties.note(read.emptied);
  const object = asObject(read.value, resource);
  object.kind = typed.kind;
  dedupOwners(object, call.warnings);
  return object;
}

/** Go decodes JSON of a built-in kind at one go; custom resources and YAML are looked through for duplicates first. */
function isReadInOrder({ isJson, bytes }: Document, { isCustom }: ServedResource): boolean {
  return isJson === true && !isCustom && bytes.length <= MAX_ORDERED_BYTES;
}

/** Returns the sentences in the order in which the document gives reason for them. */
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

function duplicateField(path: string): string {
  return `duplicate field ${quote(path)}`;
}

/** The kind and version a body claims; what it leaves out is what the URL says. Refuses any other kind, if not of custom resources. */
function checkType(
  { resource, resources }: EndpointCall,
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

/** Custom resources are read without a scheme: they must say what they are. Whether the kind is right is seen later. */
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

/** Throws for a custom object of another kind than the resource's: that is the first thing its rules look at. */
export function refuseOtherKind({ type }: ServedResource, { kind, metadata }: KubernetesObject): void {
  if (kind === type.kind) return;
  throw invalidError({ group: type.group, kind }, metadata.name ?? '', [invalid('kind', kind, `must be ${type.kind}`)]);
}

function otherVersion({ type }: ServedResource, apiVersion: string): Error {
  const expected = `does not match the expected API version (${type.apiVersion})`;
  return badRequestError(`the API version in the data (${apiVersion}) ${expected}`);
}
