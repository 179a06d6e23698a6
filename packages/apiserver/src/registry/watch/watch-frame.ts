import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { Encoding } from '../../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../../http/content-negotiation.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** Delimits events in a response. */
export interface WatchFraming {
  readonly contentType: string;
  /** True when every event is a line; otherwise a chunk must be exactly one event. */
  readonly isByLine: boolean;
  frame(type: EventType, object: JsonObject): Uint8Array;
}

export async function watchFraming(encoding: Encoding): Promise<WatchFraming> {
  if (encoding !== 'protobuf') return jsonFraming;
  const [{ encodeWatchFrame }, { encodeProtobufObject }] = await Promise.all([
    import('@pintle/machinery/protobuf'),
    import('../../http/protobuf.ts'),
  ]);
  return {
    contentType: `${MEDIA_TYPES.protobuf};stream=watch`,
    isByLine: false,
    frame: (type, object) => encodeWatchFrame({ type, object: encodeProtobufObject(object) }),
  };
}

const jsonFraming: WatchFraming = {
  contentType: MEDIA_TYPES.json,
  isByLine: true,
  frame: (type, object) => frameJson(type, encodeJson(object)),
};

/** Text before the object in `{"type":"ADDED","object":…}`; `JSON_END` follows it. */
const jsonHead = (type: EventType): string => `{"type":"${type}","object":`;
export const JSON_END = '}\n';

function frameJson(type: EventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(jsonHead(type), 'latin1'), object, Buffer.from(JSON_END, 'latin1')]);
}

/** Returns the bytes before the resourceVersion of an object in an event, given those in the object. */
export function jsonHeads(objectHead: Uint8Array): Readonly<Record<EventType, Uint8Array>> {
  const head = (type: EventType): Uint8Array => Buffer.concat([Buffer.from(jsonHead(type), 'latin1'), objectHead]);
  return {
    ADDED: head('ADDED'),
    MODIFIED: head('MODIFIED'),
    DELETED: head('DELETED'),
    BOOKMARK: head('BOOKMARK'),
    ERROR: head('ERROR'),
  };
}
