export type { PathRequest, RequestInfo, ResourceRequest, Verb } from './request-info.ts';
export { readRequestInfo } from './request-info.ts';
