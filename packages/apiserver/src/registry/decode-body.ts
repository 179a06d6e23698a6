import { schemaOf } from '@pintle/kinds/schemas';
import type { KubernetesObject } from '@pintle/machinery';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
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
import { table } from '@pintle/machinery/table';
import { bodyFormat } from '../http/body-format.ts';
import type { Encoding } from '../http/content-negotiation.ts';
import { BodyTooLarge, readBody } from '../http/read-body.ts';
import type { EndpointCall } from './endpoint.ts';
import { isOldVersion } from './old-versions.ts';
import type { FieldValidation } from './options.ts';
import { dedupOwners } from './owner-references.ts';
import type { ServedResource } from './served-resource.ts';

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
  const { decodeProtobufObject, UnreadableObject } = await import('../storage/protobuf.ts');
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
  const typed = checkType(resource, value, document.bytes);
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

export function unknownField(path: string): string {
  return `unknown field ${quote(path)}`;
}

/** The value as an object of the resource's kind: apiVersion and kind set, metadata present. */
export function asObject(value: JsonObject, resource: ServedResource): KubernetesObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = value;
  const { type } = resource;
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: isJsonObject(metadata) ? metadata : {},
    ...rest,
  } as unknown as KubernetesObject;
}

/** The kind and version a body claims; what it leaves out is what the URL says. Refuses any other kind, if not of custom resources. */
function checkType(resource: ServedResource, value: JsonValue, bytes: Uint8Array): { kind: string; version: string } {
  const { type } = resource;
  const unreadable = typeProblem(value);
  if (unreadable !== undefined || !isJsonObject(value)) throw unrecognized(resource, unreadable ?? '', bytes);
  const apiVersion = (value.apiVersion || type.apiVersion) as string;
  const kind = (value.kind || type.kind) as string;
  const groupVersion = parseGroupVersion(apiVersion);
  if (groupVersion === undefined) throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  const other = resource.isCustom ? undefined : otherType(resource, apiVersion, kind);
  if (other === undefined) return { kind, version: groupVersion.version };
  if (kind === type.kind && isOldVersion(apiVersion, kind)) throw otherVersion(resource, apiVersion);
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

/** Why a document does not say what it is; `undefined` when it may, though perhaps nothing. */
export function typeProblem(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return `${NO_TYPE}${unmarshal(value)} Go value of type ${TYPE_STRUCT}`;
  for (const name of Object.keys(value)) {
    const field = TYPE_FIELDS.get(name.toLowerCase());
    const claimed = field && (value[name] ?? '');
    if (claimed !== undefined && typeof claimed !== 'string') {
      return `${NO_TYPE}${unmarshal(claimed)} Go struct field .${field} of type string`;
    }
  }
  return undefined;
}

/** What an object is Kubernetes reads first of all, and there it does not mind how the names are written. */
const TYPE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['apiversion', 'apiVersion'],
  ['kind', 'kind'],
]);

const NO_TYPE = "couldn't get version/kind; json parse error: ";
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** How Go begins to say that a value is of the wrong type. */
export function unmarshal(value: JsonValue): string {
  const type = typeof value;
  const shape = Array.isArray(value) ? 'array' : type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
  return `json: cannot unmarshal ${shape} into`;
}

/** What Kubernetes calls the places where it registers kinds; definitions have one to themselves. */
const BUILTIN_SCHEME = 'pkg/api/legacyscheme/scheme.go:30';
const DEFINITIONS_SCHEME = 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55';
const API_SERVICES_SCHEME = 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28';
const OWN_SCHEMES: Readonly<Record<string, string>> = table({
  'apiextensions.k8s.io': DEFINITIONS_SCHEME,
  'apiregistration.k8s.io': API_SERVICES_SCHEME,
});

export interface OtherType {
  readonly problem: string;
  /** It is of some other kind that is served; otherwise nobody knows what it is. */
  readonly isKnown: boolean;
}

/** Why an object of this apiVersion and kind is none of the resource; `undefined` when it is. */
export function otherType({ type }: ServedResource, apiVersion: string, kind: string): OtherType | undefined {
  if (apiVersion === type.apiVersion && kind === type.kind) return undefined;
  const gvk = gvkOf({ apiVersion, kind });
  if (gvk === undefined) return { problem: `unexpected GroupVersion string: ${apiVersion}`, isKnown: false };
  const ownScheme = OWN_SCHEMES[type.group];
  const isKnown = schemaOf(gvk) !== undefined || isOldVersion(apiVersion, kind);
  if (kind !== 'List' && (!isKnown || (ownScheme !== undefined && gvk.group !== type.group))) {
    const scheme = ownScheme ?? BUILTIN_SCHEME;
    const problem = `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
    return { problem, isKnown: false };
  }
  const group = parseGroupVersion(type.apiVersion)?.group ?? '';
  const internalGroup = group === '' ? 'core' : group.split('.')[0];
  const problem = `converting (${gvk.version}.${kind}) to (${internalGroup}.${type.kind}): unknown conversion`;
  return { problem, isKnown: true };
}
