import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { Encoding } from '../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';

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
    import('../storage/protobuf.ts'),
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

/** `{"type":"ADDED","object":…}` and a line feed. */
export function frameJson(type: EventType, object: Uint8Array): Uint8Array {
  const head = `{"type":"${type}","object":`;
  const out = Buffer.allocUnsafe(head.length + object.length + 2);
  out.write(head, 0, 'latin1');
  out.set(object, head.length);
  out[out.length - 2] = 0x7d;
  out[out.length - 1] = 0x0a;
  return out;
}
