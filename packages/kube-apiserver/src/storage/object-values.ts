import { encodeObject, jsonForStorage, toStoredObject } from '@pintle/apiserver/storage';
import { protobufTable } from '@pintle/kinds/protobuf';
import type { KubernetesObject } from '@pintle/machinery';
import { toKubernetesObject } from '@pintle/machinery';
import { asJson, encodeJson, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { decodeEnvelope, decodeObject, encodeObject as encodeProtobuf, hasEnvelope } from '@pintle/machinery/protobuf';
import type { StoredForm, StoredKind } from './stored-kinds.ts';

/** Sizes are bounded by etcd, which others write to as well. */
const LIMITS = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: 1_000, maxItems: Number.POSITIVE_INFINITY };
const OPEN_BRACE = 0x7b;

/** Encodes the record of a built-in kind as Kubernetes stores it: in the version and the encoding that it writes. */
export function encodeBuiltin({ kind, written }: StoredKind, record: Uint8Array): Uint8Array {
  const object = toStoredObject(record, kind);
  const stored = written.fromRecord?.(object) ?? object;
  if (written.encoding === 'json') return encodeJson(asJson(stored));
  return encodeProtobuf(written.table ?? protobufTable, written.message, asJson(stored));
}

/** Decodes an object of a built-in kind, of any version that is read, in protobuf or JSON. Throws with the reason. */
export function decodeBuiltin(kind: StoredKind, bytes: Uint8Array): DecodedRecord {
  const { form, object } = hasEnvelope(bytes) ? decodeMessage(kind, bytes) : decodeJson(kind, bytes);
  return { record: encodeObject(form.toRecord?.(object) ?? object), isOutdated: form !== kind.written };
}

export interface DecodedRecord {
  readonly record: Uint8Array;
  /** True when the object would be written in another version now. */
  readonly isOutdated: boolean;
}

/** Encodes the record of a custom resource: as JSON, in the version of the record. */
export function encodeCustom(kind: string, record: Uint8Array): Uint8Array {
  return jsonForStorage(record, kind);
}

/** Decodes a custom resource. It has no schema tag: any schema may have written it. */
export function decodeCustom(bytes: Uint8Array): Uint8Array {
  const object = parseObject(bytes);
  checkMetadata(object.metadata);
  return encodeObject(object);
}

/** Checks the types of what this server and its controllers read of every object. Throws with the field. */
function checkMetadata(metadata: object): void {
  for (const [name, isTyped] of METADATA_TYPES) {
    const value: unknown = (metadata as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== null && !isTyped(value))
      throw new Error(`its metadata.${name} has a wrong type`);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every(isText);
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);

const METADATA_TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...['name', 'namespace', 'generateName', 'uid', 'creationTimestamp', 'deletionTimestamp'].map(
    (name) => [name, isText] as const,
  ),
  ['labels', isTextMap],
  ['annotations', isTextMap],
  ['finalizers', (value) => isList(value, isText)],
  ['ownerReferences', (value) => isList(value, isOwnerReference)],
  ['managedFields', (value) => isList(value, isJsonObject)],
]);

function isOwnerReference(value: unknown): boolean {
  return isJsonObject(value) && ['apiVersion', 'kind', 'name', 'uid'].every((name) => isText(value[name]));
}

interface DecodedForm {
  readonly form: StoredForm;
  readonly object: KubernetesObject;
}

function decodeMessage(kind: StoredKind, bytes: Uint8Array): DecodedForm {
  const envelope = decodeEnvelope(bytes);
  if (envelope.contentEncoding !== '') throw new Error(`it has the encoding ${envelope.contentEncoding}`);
  const form = formOf(kind, envelope.apiVersion, envelope.kind);
  const object = toKubernetesObject(decodeObject(form.table ?? protobufTable, form.message, envelope, LIMITS));
  return { form, object };
}

/** Reads JSON as what its protobuf would hold: throws where a field has another type. */
function decodeJson(kind: StoredKind, bytes: Uint8Array): DecodedForm {
  const object = parseObject(bytes);
  const form = formOf(kind, object.apiVersion, object.kind);
  if (form.table === undefined) return decodeMessage(kind, encodeProtobuf(protobufTable, form.message, asJson(object)));
  // Its own table is that of definitions, whose schemas differ between JSON and protobuf.
  checkMetadata(object.metadata);
  return { form, object };
}

function parseObject(bytes: Uint8Array): KubernetesObject {
  if (bytes[0] !== OPEN_BRACE) throw new Error('it is neither JSON nor protobuf of Kubernetes');
  const value = parseJson(bytes, trustedLimits);
  if (!isJsonObject(value) || typeof value.apiVersion !== 'string' || !isJsonObject(value.metadata))
    throw new Error('it is not a Kubernetes object');
  return toKubernetesObject(value);
}

function formOf(kind: StoredKind, apiVersion: string, found: string): StoredForm {
  const form = found === kind.kind ? kind.forms.get(apiVersion) : undefined;
  if (form !== undefined) return form;
  const known = [...kind.forms.keys()].join(' or ');
  throw new Error(`it is stored as ${apiVersion} ${found}; this server reads ${known} ${kind.kind}`);
}
