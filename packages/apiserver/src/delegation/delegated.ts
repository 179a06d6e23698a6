import { createHash } from 'node:crypto';
import type { Clock } from '@pintle/async';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import type { Authentication, Authenticator } from '../auth/authenticator.ts';
import { bearerToken, UNKNOWN_TOKEN } from '../auth/authenticator.ts';
import type { Authorizer, Decision } from '../auth/authorizer.ts';
import { isMaster } from '../auth/authorizer.ts';
import type { ApiRequest } from '../request/exchange.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { ClusterTransport } from './cluster.ts';
import { ResponseCache, requestCluster } from './cluster.ts';

const CACHE_MS = 10_000;
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const ALLOWED: Decision = { allowed: true, reason: '' };

/**
 * Authorizes by SubjectAccessReviews of the cluster; decisions are cached for ten seconds. `system:masters` may do
 * everything.
 */
export class DelegatedAuthorizer implements Authorizer {
  readonly #cluster: ClusterTransport;
  readonly #decisions: ResponseCache<Decision>;

  constructor(cluster: ClusterTransport, clock: Clock) {
    this.#cluster = cluster;
    this.#decisions = new ResponseCache(clock, CACHE_MS);
  }

  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision> {
    if (isMaster(user) || (info.kind === 'path' && OPEN_PATHS.has(info.path))) return ALLOWED;
    return this.#ask(reviewOf(user, info));
  }

  async #ask(spec: JsonObject): Promise<Decision> {
    const ask = async (): Promise<Decision | undefined> => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
      const { status, body: review } = await requestCluster(this.#cluster, 'POST', path, { body });
      if (status !== 201 || !isJsonObject(review.status)) return undefined;
      const { allowed, reason } = review.status;
      return { allowed: allowed === true, reason: typeof reason === 'string' ? reason : '' };
    };
    const decision = await this.#decisions.get(JSON.stringify(spec), ask);
    return decision ?? { allowed: false, reason: 'the cluster did not review the request' };
  }
}

function reviewOf({ username, uid, groups, extra }: UserInfo, info: RequestInfo): JsonObject {
  const attributes =
    info.kind === 'path'
      ? { nonResourceAttributes: { path: info.path, verb: info.verb } }
      : {
          resourceAttributes: {
            verb: info.verb,
            group: info.group,
            version: info.version,
            resource: info.resource,
            subresource: info.subresource,
            namespace: info.namespace,
            name: info.authorizedName,
          },
        };
  const copied = extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  return { user: username, groups: [...groups], ...(uid && { uid }), ...(copied && { extra: copied }), ...attributes };
}

/** Authenticates bearer tokens by TokenReviews of the cluster. */
export class DelegatedTokens implements Authenticator {
  readonly #cluster: ClusterTransport;
  readonly #users: ResponseCache<UserInfo>;

  constructor(cluster: ClusterTransport, clock: Clock) {
    this.#cluster = cluster;
    this.#users = new ResponseCache(clock, CACHE_MS);
  }

  authenticate(request: ApiRequest): Promise<Authentication> | undefined {
    const token = bearerToken(request);
    return token === undefined ? undefined : this.#ask(token);
  }

  async #ask(token: string): Promise<Authentication> {
    const digest = createHash('sha256').update(token).digest('base64');
    const user = await this.#users.get(digest, async () => {
      const path = '/apis/authentication.k8s.io/v1/tokenreviews';
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
      const { body: review } = await requestCluster(this.#cluster, 'POST', path, { body });
      const { status } = review as { status?: { authenticated?: boolean; user?: ReviewedUser } };
      return status?.authenticated === true ? userOf(status.user) : undefined;
    });
    return user === undefined ? { refused: UNKNOWN_TOKEN } : { user, source: 'tokenreview' };
  }
}

interface ReviewedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

function userOf({ username = '', uid, groups = [], extra }: ReviewedUser = {}): UserInfo | undefined {
  return username === '' ? undefined : { username, groups, ...(uid && { uid }), ...(extra && { extra }) };
}
