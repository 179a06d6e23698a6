export { Chunks, joined } from './chunks.ts';
export type { FrameHead, FrameSink, Reason, Settings } from './frames.ts';
export {
  checkFrame,
  countSettings,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  FrameReader,
  frameOf,
  goAwayFrame,
  HEAD_BYTES,
  Http2Error,
  headersFrames,
  MAX_FRAME_BYTES,
  MAX_STREAM_ID,
  MAX_WINDOW_BYTES,
  PREFACE,
  pingFrame,
  readSettings,
  reasonOf,
  resetFrame,
  SETTING,
  settingsAck,
  settingsFrame,
  windowUpdateFrame,
} from './frames.ts';
export type { Field, HeaderBlock, HeaderLimits } from './headers.ts';
export {
  CONNECTION_FIELDS,
  encodeHeaders,
  HEADER_LIMITS,
  HeaderBlocks,
  HeaderEncoder,
  headerListBytes,
  isFieldName,
  isFieldValue,
  trimFieldValue,
} from './headers.ts';
export type { OutgoingStream, SenderOutbox } from './sender.ts';
export { Outbox, Sender } from './sender.ts';
