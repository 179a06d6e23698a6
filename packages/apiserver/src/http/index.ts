export { afterPollPhase } from './batching.ts';
export { refuseUnroutable } from './content-negotiation.ts';
export { isWebSocketUpgrade, readHandshake } from './websocket/handshake.ts';
