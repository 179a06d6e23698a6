import type { Eventual } from '@pintle/async';
import type { AuditTrail } from './audit-trail.ts';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import type { UserInfo } from './user-info.ts';
import type { Warnings } from './warnings.ts';

/** What is known about a request on its way through the server; each stage fills in its part. */
export interface RequestState {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly warnings: Warnings;
  /** Go into the answer, whatever becomes of the request. */
  readonly answerHeaders: Record<string, string>;
  /** Set by authentication; replaced by impersonation. */
  user: UserInfo;
  /** What vouched for the user. */
  authenticatedBy: string;
  /** Set while the request is audited: what the stages tell about it. */
  audit: AuditTrail | undefined;
  /** Set for a watch: to be called once it has sent what there was when it began. */
  onBegun?: (() => void) | undefined;
}

/** The state of the same request in another form. Spelt out, for a spread takes longer than most stages do. */
export function withRequest(state: RequestState, request: ApiRequest): RequestState {
  const { query, info, auditId, warnings, answerHeaders, user, authenticatedBy, audit, onBegun } = state;
  return { request, query, info, auditId, warnings, answerHeaders, user, authenticatedBy, audit, onBegun };
}

/** What can be answered at once is, without a promise: a turn for every stage costs more than most stages do. */
export type Next = (state: RequestState) => Eventual<ApiResponse>;

/** One step on a request's way: answers, or passes the request on. */
export type Stage = (state: RequestState, next: Next) => Eventual<ApiResponse>;

/** The stages, first to last, in front of the endpoint. */
export function compose(stages: readonly Stage[], endpoint: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (state) => stage(state, next), endpoint);
}
