import type { Eventual } from '@pintle/async';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import type { UserInfo } from './user-info.ts';

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

/** What the stages behind the audit tell it about a request on its way. */
export class AuditTrail {
  impersonated: UserInfo | undefined;
  /** The verb that allowed it, when that was not the old one, which allows everything. */
  impersonationConstraint = '';
  readonly annotations: Record<string, string> = {};
  /** What is sent and stored is written down too, not only by whom. */
  readonly takesBodies: boolean;

  constructor({ takesBodies = false }: { readonly takesBodies?: boolean } = {}) {
    this.takesBodies = takesBodies;
  }

  /** Keys are the server's own or begin with a webhook's name and a slash; never a client's. */
  annotate(key: string, value: string): void {
    this.annotations[key] = value;
  }
}

const MAX_TOTAL = 4096;
const MAX_EACH_WHEN_FULL = 256;

/** Hints for the client, sent as Warning headers: each once, in the order given, and not without bound. */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Texts that a header cannot carry are dropped, as Kubernetes drops them. */
  add(text: string): void {
    if (text !== '' && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  /** `299 - "text"` for each; when all together are too long, each is cut short, and what follows the one too many left out. */
  toHeaders(): string[] {
    const texts = [...this.#texts].map((text) => Array.from(text));
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    if (total <= MAX_TOTAL) return texts.map(toHeader);
    const headers: string[] = [];
    let used = 0;
    for (const text of texts) {
      if (used >= MAX_TOTAL) break;
      const cut = text.slice(0, MAX_EACH_WHEN_FULL);
      used += cut.length;
      headers.push(toHeader(cut));
    }
    return headers;
  }
}

function toHeader(characters: readonly string[]): string {
  const text = characters.join('');
  return `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
