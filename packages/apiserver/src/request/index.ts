export { clientNameOf } from './client-share.ts';
export { alterRequest, headerOf, textResponse } from './exchange.ts';
export { LoopbackClient } from './loopback-client.ts';
export type { RequestState } from './pipeline.ts';
export { onAbort, onRequestEnd } from './request-end.ts';
export type { PathRequest, RequestInfo, ResourceRequest, Verb } from './request-info.ts';
export {
  decodePercent,
  decodePercentBytes,
  guardReferredName,
  isTrue,
  nodeIn,
  readRequestInfo,
} from './request-info.ts';
export { LOOPBACK } from './user-info.ts';
