import { sharedWriter } from './encode.ts';
import { readFields } from './envelope.ts';
import { ProtobufError } from './protobuf-error.ts';
import { WireReader } from './wire-reader.ts';

/** One event of a watch in protobuf. `object` is in its envelope. */
export interface WatchFrame {
  readonly type: string;
  readonly object: Uint8Array;
}

/** Encodes a watch event (`WatchEvent{type, object{raw}}`) after its length in four bytes, the highest first. */
export function encodeWatchFrame({ type, object }: WatchFrame): Uint8Array {
  sharedWriter.start();
  sharedWriter.bytes(object);
  sharedWriter.varint(10);
  sharedWriter.varint(sharedWriter.length);
  sharedWriter.varint(18);
  sharedWriter.string(type);
  sharedWriter.varint(10);
  const length = sharedWriter.length;
  sharedWriter.raw(Uint8Array.of(length >>> 24, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff));
  return sharedWriter.finish();
}

/** Decodes a frame without its length. `object` is a view of the bytes given. */
export function decodeWatchFrame(payload: Uint8Array): WatchFrame {
  const reader = new WireReader(payload);
  const frame: { type: string; object: Uint8Array } = { type: '', object: new Uint8Array() };
  readFields(reader, {
    10: () => {
      frame.type = reader.string();
    },
    18: () => {
      const inner = new WireReader(reader.bytes());
      readFields(inner, {
        10: () => {
          frame.object = inner.bytes();
        },
      });
    },
  });
  return frame;
}

export interface SplitFrames {
  /** Payloads of all complete frames, as views. */
  readonly payloads: readonly Uint8Array[];
  /** The beginning of an incomplete frame. */
  readonly rest: Uint8Array;
}

/** Splits a stream's bytes into frames. Throws `ProtobufError` when the length of a frame exceeds `maxFrameBytes`. */
export function splitFrames(bytes: Uint8Array, maxFrameBytes: number): SplitFrames {
  const payloads: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;
  while (bytes.length - position >= 4) {
    const length = view.getUint32(position);
    if (length > maxFrameBytes) throw new ProtobufError({ code: 'TooLarge', bytes: length, limit: maxFrameBytes });
    if (length > bytes.length - position - 4) break;
    payloads.push(bytes.subarray(position + 4, position + 4 + length));
    position += 4 + length;
  }
  return { payloads, rest: bytes.subarray(position) };
}
