import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { Encoding } from '../../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../../http/content-negotiation.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** How events are told apart on the wire. */
export interface WatchFraming {
  readonly contentType: string;
  /** Every event is a line; otherwise every chunk may be taken for one. */
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

/** What stands before and after the object in `{"type":"ADDED","object":…}` and a line feed. */
const jsonHead = (type: EventType): string => `{"type":"${type}","object":`;
export const JSON_END = '}\n';

function frameJson(type: EventType, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(jsonHead(type), 'latin1'), object, Buffer.from(JSON_END, 'latin1')]);
}

/** What stands before the resourceVersion of an object in an event, given what stands before it in the object. */
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
