import type { KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion, parseGroupVersion } from '@pintle/machinery';
import { badRequestError, requestEntityTooLargeError } from '@pintle/machinery/errors';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJsonStrict } from '@pintle/machinery/json';
import { bodyFormat } from '../http/body-format.ts';
import type { Encoding } from '../http/content-negotiation.ts';
import { BodyTooLarge, readBody } from '../http/read-body.ts';
import type { EndpointCall } from './endpoint.ts';
import type { FieldValidation } from './options.ts';
import type { ServedResource } from './served-resource.ts';

/** A document that was read, with what strict reading found. */
interface Document {
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

const SHOWN_BYTES = 30;

/** The bytes of the body; 413 when there are too many. */
export async function readBodyBytes(call: EndpointCall): Promise<Uint8Array> {
  try {
    return await readBody(call.request);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw requestEntityTooLargeError(`limit is ${error.maxBytes}`);
    throw error;
  }
}

/** The object in the body of a create or update, read by the resource's schema. */
export async function decodeBody(call: EndpointCall, validation: FieldValidation): Promise<KubernetesObject> {
  const accepted: Encoding[] = call.resource.isCustom ? ['json', 'yaml'] : ['json', 'yaml', 'protobuf'];
  const format = bodyFormat(call.request, accepted);
  const bytes = await readBodyBytes(call);
  const document = await parse(bytes, format, call.resource);
  return readObject(call, document, validation);
}

async function parse(bytes: Uint8Array, format: Encoding, resource: ServedResource): Promise<Document> {
  try {
    if (format === 'json') return parseJsonStrict(bytes);
    if (format === 'yaml') {
      const { parseYamlStrict } = await import('@pintle/machinery/yaml');
      return parseYamlStrict(bytes);
    }
    const { decodeProtobufObject } = await import('../storage/protobuf.ts');
    return { value: decodeProtobufObject(bytes), duplicates: [] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const detail = format === 'json' ? `couldn't get version/kind; json parse error: ${message}` : message;
    throw unrecognized(resource, detail, bytes);
  }
}

function unrecognized(resource: ServedResource, detail: string, bytes: Uint8Array): Error {
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
  const { type } = resource;
  const typed = checkType(resource, document.value);
  const failure = (detail: string): Error =>
    badRequestError(
      `${typed.kind} in version ${JSON.stringify(typed.version)} cannot be handled as a ${type.kind}: ${detail}`,
    );
  let read: ReturnType<typeof resource.reader.read>;
  try {
    read = resource.reader.read(document.value);
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
  const problems = strictProblems(document.duplicates, read.unknown);
  if (validation === 'Strict' && problems.length > 0) throw failure(`strict decoding error: ${problems.join(', ')}`);
  if (validation === 'Warn') for (const problem of problems) call.warnings.add(problem);
  return asObject(read.value, resource);
}

/** What strict reading holds against a document, in Kubernetes' words and order. */
export function strictProblems(duplicates: readonly string[], unknown: readonly string[]): string[] {
  return [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
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

/** The kind and version a body claims; what it leaves out is what the URL says. Refuses any other kind. */
function checkType(resource: ServedResource, value: JsonValue): { kind: string; version: string } {
  const { type } = resource;
  if (!isJsonObject(value)) {
    const shape = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    throw unrecognized(
      resource,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${shape === 'boolean' ? 'bool' : shape} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      Buffer.from(JSON.stringify(value)),
    );
  }
  const apiVersion =
    typeof value.apiVersion === 'string' && value.apiVersion !== '' ? value.apiVersion : type.apiVersion;
  const kind = typeof value.kind === 'string' && value.kind !== '' ? value.kind : type.kind;
  const groupVersion = parseGroupVersion(apiVersion);
  const bytes = Buffer.from(JSON.stringify({ apiVersion, kind }));
  if (groupVersion === undefined) throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  if (formatGroupVersion(groupVersion) !== type.apiVersion || kind !== type.kind) {
    throw badRequestError(
      `${kind} in version ${JSON.stringify(groupVersion.version)} cannot be handled as a ${type.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  return { kind, version: groupVersion.version };
}
