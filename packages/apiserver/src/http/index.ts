export { refuseUnroutable } from './content-negotiation.ts';
export type { Frame } from './websocket/frames.ts';
export { CLOSE_CODES, encodeClose, encodeFrame, FrameReader, OPCODES } from './websocket/frames.ts';
export { isWebSocketUpgrade, readHandshake } from './websocket/handshake.ts';
