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

/** An object that cannot be decoded as its type. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
  readonly type: TypeMeta;

  constructor(type: TypeMeta, cause: Error) {
    super(cause.message, { cause });
    this.type = type;
  }
}

/**
 * Decodes the object in an `application/vnd.kubernetes.protobuf` body. `expected` completes its type. Returns only the type of
 * an unknown kind. Throws `ProtobufError`, and `UnreadableObject` once the type is known.
 */
export function decodeProtobufObject(bytes: Uint8Array, expected: TypeMeta): JsonObject {
  const { raw, apiVersion, kind } = decodeEnvelope(bytes);
  const type = { apiVersion: apiVersion || expected.apiVersion, kind: kind || expected.kind };
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

/** Returns an encoder for objects of the type, without the envelope. */
export function messageWriter({ apiVersion, kind }: TypeMeta): (value: JsonObject) => Uint8Array {
  const gvk = gvkOf({ apiVersion, kind });
  const message = gvk && messageNameOf(gvk);
  if (message === undefined) throw new Error(`Cannot encode ${apiVersion} ${kind} as protobuf: it has no message type`);
  return (value) => encodeMessage(protobufTable, message, value);
}

/** Returns the object with its fields in Kubernetes' order, unchanged for unknown kinds. */
export async function inOrderOfType(object: JsonObject, pause: () => Eventual<void>): Promise<JsonObject> {
  const gvk = gvkOf(object as { apiVersion: string; kind: string });
  const message = gvk && messageNameOf(gvk);
  if (!message) return object;
  const bytes = encodeMessage(protobufTable, message, object);
  await pause();
  return decodeMessage(protobufTable, message, bytes);
}
