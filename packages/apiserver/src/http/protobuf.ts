import type { Eventual } from '@pintle/async';
import { messageNameOf, protobufTable } from '@pintle/kinds/protobuf';
import type { TypeMeta } from '@pintle/machinery';
import { gvkOf } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import {
  decodeEnvelope,
  decodeMessage,
  encodeEnvelope,
  encodeMessage,
  ProtobufError,
} from '@pintle/machinery/protobuf';

/** An object that says what it is, and cannot be read as that. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
  readonly type: TypeMeta;

  constructor(type: TypeMeta, cause: Error) {
    super(cause.message, { cause });
    this.type = type;
  }
}

/**
 * The object in an `application/vnd.kubernetes.protobuf` body. What it does not say of its type is as `expected`; of a
 * type that is not known no more is read than that. Throws `ProtobufError`, and `UnreadableObject` once the type is known.
 */
export function decodeProtobufObject(bytes: Uint8Array, expected: TypeMeta): JsonObject {
  const { raw, ...said } = decodeEnvelope(bytes);
  const type = { apiVersion: said.apiVersion || expected.apiVersion, kind: said.kind || expected.kind };
  const gvk = gvkOf(type);
  const message = gvk && messageNameOf(gvk);
  if (message === undefined) return { ...type };
  try {
    return { ...decodeMessage(protobufTable, message, raw), ...type };
  } catch (error) {
    throw error instanceof ProtobufError ? new UnreadableObject(type, error) : error;
  }
}

export function encodeProtobufObject(value: JsonObject): Uint8Array {
  const { apiVersion, kind } = value as { apiVersion: string; kind: string };
  return encodeEnvelope({ apiVersion, kind, raw: messageWriter({ apiVersion, kind })(value) });
}

/** Writes what objects of the type say, without the type. */
export function messageWriter({ apiVersion, kind }: TypeMeta): (value: JsonObject) => Uint8Array {
  const gvk = gvkOf({ apiVersion, kind });
  const message = gvk && messageNameOf(gvk);
  if (message === undefined) throw new Error(`Cannot write ${apiVersion} ${kind} as protobuf: it has no message`);
  return (value) => encodeMessage(protobufTable, message, value);
}

/** The object with its fields in the order in which Kubernetes writes them as JSON; as it is when that is not known. */
export async function inOrderOfType(object: JsonObject, pause: () => Eventual<void>): Promise<JsonObject> {
  const gvk = gvkOf(object as { apiVersion: string; kind: string });
  const message = gvk && messageNameOf(gvk);
  if (!message) return object;
  const bytes = encodeMessage(protobufTable, message, object);
  await pause();
  return decodeMessage(protobufTable, message, bytes);
}
