import type { Eventual } from '@pintle/async';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import type { UserInfo } from './user-info.ts';

/** State of a request in the pipeline. Stages fill in their parts. */
export interface RequestState {
  readonly request: ApiRequest;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly warnings: Warnings;
  /** Added to the response, whatever its status. */
  readonly responseHeaders: Record<string, string>;
  /** Set by authentication; replaced by impersonation. */
  user: UserInfo;
  /** Kind of credential: `x509`, `token`, `anonymous`. */
  authenticatedBy: string;
  /** Set while the request is audited. */
  audit: AuditTrail | undefined;
  /** Set for a watch: called once it has sent its initial objects. */
  onBegun?: (() => void) | undefined;
  /** Set for a watch that is followed: called once it follows the store. */
  onFollowing?: ((watch: WatchProgress) => void) | undefined;
}

/** Position of an open watch in the history of the store. */
export interface WatchProgress {
  /** The client has taken, or can take, everything up to this revision. */
  readonly revision: number;
  /** Chunks that the client has not taken yet. */
  readonly waiting: number;
}

/** Returns the state with another request. Spelled out: a spread takes longer than most stages. */
export function withRequest(state: RequestState, request: ApiRequest): RequestState {
  const { query, info, auditId, warnings, responseHeaders, user, authenticatedBy, audit, onBegun } = state;
  const { onFollowing } = state;
  return {
    request,
    query,
    info,
    auditId,
    warnings,
    responseHeaders,
    user,
    authenticatedBy,
    audit,
    onBegun,
    onFollowing,
  };
}

/** Returns the response without a promise where possible: a microtask for every stage costs more than most stages. */
export type Next = (state: RequestState) => Eventual<ApiResponse>;

/** One step of the pipeline: returns a response, or passes the request to `next`. */
export type Stage = (state: RequestState, next: Next) => Eventual<ApiResponse>;

/** Chains the stages, first to last, in front of the endpoint. */
export function compose(stages: readonly Stage[], endpoint: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (state) => stage(state, next), endpoint);
}

/** Collects what later stages add to the audit event of a request. */
export class AuditTrail {
  impersonated: UserInfo | undefined;
  /** Verb of constrained impersonation; empty for the plain verb `impersonate`. */
  impersonationConstraint = '';
  readonly annotations: Record<string, string> = {};
  /** True when bodies are recorded too. */
  readonly takesBodies: boolean;

  constructor({ takesBodies = false }: { readonly takesBodies?: boolean } = {}) {
    this.takesBodies = takesBodies;
  }

  /** Sets an annotation. Keys are the server's or begin with a webhook's name and a slash; clients never choose them. */
  annotate(key: string, value: string): void {
    this.annotations[key] = value;
  }
}

const MAX_TOTAL = 4096;
const MAX_EACH_WHEN_FULL = 256;

/** Warnings for the client, sent as Warning headers: each once, in the order of `add`, within a bound. */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Texts that a header cannot carry are dropped, as Kubernetes drops them. */
  add(text: string): void {
    if (text !== '' && !/\p{Cc}/u.test(text)) this.#texts.add(text);
  }

  /** Returns `299 - "text"` for each. When they are too long together, shortens each and drops those beyond the bound. */
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
