import { createHash } from 'node:crypto';
import type { ApiRequest, Authentication, Authenticator, UserInfo } from '@pintle/apiserver';
import type { AuthenticationOptions } from '@pintle/apiserver/auth';
import { bearerToken, serviceAccountGroups, serviceAccountUsername, UNKNOWN_TOKEN } from '@pintle/apiserver/auth';
import type { Clock, Eventual } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject, parseJson } from '@pintle/machinery/json';
import type { Store } from '@pintle/store';
import { quoteList } from '../rbac/rule-coverage.ts';
import { AccountChecks } from './account-checks.ts';
import type { AccountClaims } from './account-claims.ts';
import { LEGACY_ISSUER, readClaims, toPayload } from './account-claims.ts';
import type { TokenKey, TokenKeys } from './token-keys.ts';

export interface AccountTokenOptions {
  /** Who signs tokens; the first of several does, tokens of the others are taken as well. */
  readonly issuers: readonly string[];
  /** Whom tokens must be meant for to be taken here. Default: the issuers. */
  readonly audiences?: readonly string[];
  /** Asked for when the first token is seen: making keys takes a while. */
  readonly keys: () => Promise<TokenKeys>;
  /** Tokens live no longer, whatever is asked for. Default: no limit but that of the API. */
  readonly maxSeconds?: number;
  /** Where others find the public keys. Default: below the issuer. */
  readonly jwksUri?: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Told of every use of a token that is kept in a Secret. */
  readonly onLegacyUse?: (namespace: string, secret: string) => void;
}

const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_KEPT_TOKENS = 4096;
/** Clocks of servers that share keys may differ by so much. */
const SKEW_SECONDS = 60;
const NOT_OURS: Authentication = { refused: UNKNOWN_TOKEN };

/** A token whose signature was verified. What it says never changes; whether it still counts is asked each time. */
interface Verified {
  readonly claims: AccountClaims;
  readonly user: UserInfo;
  readonly checks: AccountChecks;
}

/** Signs tokens of service accounts and says whose a token is. */
export class AccountTokens implements Authenticator {
  readonly audiences: readonly string[];
  readonly maxSeconds: number;
  readonly jwksUri: string | undefined;
  readonly #options: AccountTokenOptions;
  readonly #verified = new BoundedCache<Verified>(MAX_KEPT_TOKENS);
  #keys: Promise<TokenKeys> | undefined;

  constructor(options: AccountTokenOptions) {
    this.#options = options;
    this.audiences = options.audiences ?? options.issuers;
    this.maxSeconds = options.maxSeconds ?? Number.POSITIVE_INFINITY;
    this.jwksUri = options.jwksUri;
  }

  get issuer(): string {
    return this.#options.issuers[0]!;
  }

  /** Asked for again after a failure, which may have been of the moment. */
  keys(): Promise<TokenKeys> {
    this.#keys ??= this.#options.keys().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  /** Throws when this server has no key to sign with. */
  async sign(claims: AccountClaims): Promise<string> {
    const { signing } = await this.keys();
    if (signing === undefined) throw new Error('Cannot sign a token: this server has no signing key');
    const { SignJWT } = await import('jose');
    const header = { alg: signing.algorithm, kid: signing.id };
    return await new SignJWT(toPayload(this.issuer, claims)).setProtectedHeader(header).sign(signing.key);
  }

  authenticate(request: ApiRequest, options: AuthenticationOptions = {}): Eventual<Authentication | undefined> {
    const token = bearerToken(request);
    return token === undefined ? undefined : this.#examine(token, options);
  }

  async #examine(token: string, options: AuthenticationOptions): Promise<Authentication> {
    const verified = await this.#verify(token);
    if (verified === undefined) return NOT_OURS;
    if (typeof verified === 'string') return { refused: verified };
    const { claims, user, checks } = verified;
    const wanted = options.audiences ?? this.audiences;
    const meant = claims.isLegacy ? this.audiences : claims.audiences;
    const audiences = wanted.filter((audience) => meant.includes(audience));
    if (audiences.length === 0) {
      return {
        refused: `token audiences ${quoteList(meant)} is invalid for the target audiences ${quoteList(wanted)}`,
      };
    }
    const nowMs = this.#options.clock.now();
    const problem = timeProblem(claims, nowMs) ?? (await checks.problem(this.#options.store, nowMs));
    if (problem !== undefined) return { refused: problem };
    if (claims.isLegacy) this.#options.onLegacyUse?.(claims.namespace, claims.secret!.name);
    return { user, source: 'serviceaccount', audiences, ...(claims.id && { credentialId: `JTI=${claims.id}` }) };
  }

  /** `undefined`: somebody else's token, or no token at all. A sentence: ours, and not good. */
  async #verify(token: string): Promise<Verified | string | undefined> {
    if (token.length > MAX_TOKEN_BYTES) return undefined;
    const digest = createHash('sha256').update(token).digest();
    const known = this.#verified.get(digest.toString('base64'));
    if (known !== undefined) return known;
    const issuer = issuerOf(token);
    if (issuer !== LEGACY_ISSUER && !this.#options.issuers.includes(issuer)) return undefined;
    const payload = await verifySignature(token, (await this.keys()).verifying);
    if (payload === undefined || typeof payload === 'string') return payload;
    const claims = readClaims(payload);
    if (typeof claims === 'string') return claims;
    const verified = { claims, user: userOf(claims), checks: new AccountChecks(claims, digest) };
    this.#verified.set(digest.toString('base64'), verified);
    return verified;
  }
}

/** Who a token says it is from; nothing is believed of it until its signature is verified. */
function issuerOf(token: string): string {
  const parts = token.split('.');
  if (parts.length !== 3) return '';
  try {
    const payload = parseJson(Buffer.from(parts[1]!, 'base64url'));
    return isJsonObject(payload) && typeof payload.iss === 'string' ? payload.iss : '';
  } catch {
    return '';
  }
}

const NO_KEY = 'invalid signature, no keys found';
const BAD_SIGNATURE = 'go-jose/go-jose: error in cryptographic primitive';

/**
 * The payload, when one of the keys signed it with that key's own algorithm; why not, when it names a key or says nothing
 * of one; `undefined` when it is no token at all.
 */
async function verifySignature(token: string, keys: readonly TokenKey[]): Promise<JsonObject | string | undefined> {
  const { compactVerify, decodeProtectedHeader } = await import('jose');
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    const candidates = keys.filter(({ id }) => !kid || kid === id);
    if (candidates.length === 0) return NO_KEY;
    for (const { algorithm, key } of candidates) {
      const result = await compactVerify(token, key, { algorithms: [algorithm] }).catch(() => undefined);
      const payload = result && parseJson(result.payload);
      if (isJsonObject(payload ?? null)) return payload as JsonObject;
    }
    return alg === 'none' ? undefined : BAD_SIGNATURE;
  } catch {
    // A header or payload that cannot be read is nobody's.
  }
  return undefined;
}

function timeProblem({ expiresAt, notBefore }: AccountClaims, nowMs: number): string | undefined {
  const now = nowMs / 1000;
  if (expiresAt !== undefined && now >= expiresAt) return 'service account token has expired';
  if (notBefore !== undefined && now + SKEW_SECONDS < notBefore) return 'service account token is not valid yet';
  return undefined;
}

function userOf({ namespace, account, pod, node, id }: AccountClaims): UserInfo {
  const prefix = 'authentication.kubernetes.io/';
  const extra = {
    ...(id && { [`${prefix}credential-id`]: [`JTI=${id}`] }),
    ...(node && { [`${prefix}node-name`]: [node.name], ...(node.uid && { [`${prefix}node-uid`]: [node.uid] }) }),
    ...(pod && { [`${prefix}pod-name`]: [pod.name], [`${prefix}pod-uid`]: [pod.uid] }),
  };
  return {
    username: serviceAccountUsername({ namespace, name: account.name }),
    uid: account.uid,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
