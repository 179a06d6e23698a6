export { Chunks, joined } from './chunks.ts';
export { CONNECTION_FIELDS, isFieldName, isFieldValue, trimFieldValue } from './field-syntax.ts';
export type { FrameHead, Reason } from './frame.ts';
export {
  Fault,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  frameOf,
  goAwayFrame,
  HEAD_BYTES,
  headersFrames,
  MAX_FRAME_BYTES,
  MAX_STREAM_ID,
  MAX_WINDOW_BYTES,
  PREFACE,
  pingFrame,
  reasonOf,
  resetFrame,
  SETTING,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from './frame.ts';
export type { FrameSink } from './frame-reader.ts';
export { FrameReader } from './frame-reader.ts';
export { checkFrame } from './frame-rules.ts';
export type { HeaderBlock, HeaderLimits } from './header-blocks.ts';
export { HEADER_LIMITS, HeaderBlocks, listBytesOf } from './header-blocks.ts';
export { encodeHeaders, HeaderEncoder } from './header-encoder.ts';
export type { Field } from './header-table.ts';
export { Outbox } from './outbox.ts';
export type { SenderOutbox, Sending } from './sender.ts';
export { Sender } from './sender.ts';
export type { Settings } from './settings.ts';
export { readSettings, settingsIn } from './settings.ts';
