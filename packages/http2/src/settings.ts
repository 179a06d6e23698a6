import { Fault, MAX_FRAME_BYTES, MAX_WINDOW_BYTES, SETTING } from './frame.ts';

/** What the other side says of itself and of what it takes. What it did not say is as before. */
export interface Settings {
  /** It takes what it did not ask for. */
  readonly takesPushes?: boolean;
  readonly maxStreams?: number;
  readonly firstWindowBytes?: number;
}

const ENTRY_BYTES = 6;
const MAX_MAX_FRAME_BYTES = 2 ** 24 - 1;

/** How many settings a SETTINGS frame holds. */
export function settingsIn(payload: Buffer): number {
  return payload.length / ENTRY_BYTES;
}

/** Throws a `Fault` at a value that nobody may say. Tables and frames of ours are small whatever it takes. */
export function readSettings(payload: Buffer): Settings {
  const settings: { -readonly [K in keyof Settings]: Settings[K] } = {};
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.enablePush:
        if (value > 1) throw new Fault('PROTOCOL_ERROR', 'a setting is neither on nor off');
        settings.takesPushes = value === 1;
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
          throw new Fault('PROTOCOL_ERROR', 'it takes frames of no allowed size');
        break;
    }
  }
  return settings;
}
