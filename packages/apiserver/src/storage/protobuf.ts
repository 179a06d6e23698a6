import { messageNameOf, protobufTable } from '@pintle/kinds/protobuf';
import { gvkOf } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { decodeEnvelope, decodeMessage, encodeEnvelope, encodeMessage } from '@pintle/machinery/protobuf';

/** The object in an `application/vnd.kubernetes.protobuf` body. Throws when it is none of ours. */
export function decodeProtobufObject(bytes: Uint8Array): JsonObject {
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  const gvk = gvkOf({ apiVersion, kind });
  const message = gvk && messageNameOf(gvk);
  if (message === undefined)
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { ...decodeMessage(protobufTable, message, raw), apiVersion, kind };
}

export function encodeProtobufObject(value: JsonObject): Uint8Array {
  const { apiVersion, kind } = value as { apiVersion: string; kind: string };
  const gvk = gvkOf({ apiVersion, kind });
  const message = gvk && messageNameOf(gvk);
  if (message === undefined) throw new Error(`Cannot write ${apiVersion} ${kind} as protobuf: it has no message`);
  return encodeEnvelope({ apiVersion, kind, raw: encodeMessage(protobufTable, message, value) });
}

/** The object with its fields in the order in which Kubernetes writes them as JSON; as it is when that is not known. */
export function inOrderOfType(object: JsonObject): JsonObject {
  const gvk = gvkOf(object as { apiVersion: string; kind: string });
  const message = gvk && messageNameOf(gvk);
  return message ? decodeMessage(protobufTable, message, encodeMessage(protobufTable, message, object)) : object;
}
