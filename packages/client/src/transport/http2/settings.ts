import { Fault, MAX_FRAME_BYTES, MAX_WINDOW_BYTES, SETTING } from './frame.ts';

/** What a server says of itself and of what it takes. What it did not say is as before. */
export interface Settings {
  readonly maxStreams?: number;
  readonly firstWindowBytes?: number;
}

const ENTRY_BYTES = 6;
const MAX_MAX_FRAME_BYTES = 2 ** 24 - 1;

/** Throws a `Fault` at a value that nobody may say. Tables and frames of ours are small whatever the server takes. */
export function readSettings(payload: Buffer): Settings {
  const settings: { maxStreams?: number; firstWindowBytes?: number } = {};
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.enablePush:
        if (value !== 0) throw new Fault('PROTOCOL_ERROR', 'the server wants us to push');
        break;
      case SETTING.maxConcurrentStreams:
        settings.maxStreams = value;
        break;
      case SETTING.initialWindowSize:
        if (value > MAX_WINDOW_BYTES) throw new Fault('FLOW_CONTROL_ERROR', 'a window is larger than allowed');
        settings.firstWindowBytes = value;
        break;
      case SETTING.maxFrameSize:
        if (value < MAX_FRAME_BYTES || value > MAX_MAX_FRAME_BYTES)
          throw new Fault('PROTOCOL_ERROR', 'the server takes frames of no allowed size');
        break;
    }
  }
  return settings;
}
