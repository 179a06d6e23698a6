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
import type { AccountClaims, SecretTokenClaims } from './account-claims.ts';
import { LEGACY_ISSUER, readClaims, toPayload } from './account-claims.ts';
import type { TokenKey, TokenKeys } from './token-keys.ts';

export interface AccountTokenOptions {
  /** Issuers of tokens. The first one signs; tokens of the others are accepted too. */
  readonly issuers: readonly string[];
  /** Audiences that are accepted. Default: the issuers. */
  readonly audiences?: readonly string[];
  /** Called with the first token: generating keys takes a while. */
  readonly keys: () => Promise<TokenKeys>;
  /** Maximum lifetime of tokens. Default: only the limit of the API. */
  readonly maxSeconds?: number;
  /** URL of the public keys. Default: below the issuer. */
  readonly jwksUri?: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Called for every use of a token in a Secret. */
  readonly onLegacyUse?: (namespace: string, secret: string) => void;
}

const MAX_TOKEN_BYTES = 16 * 1024;
const MAX_KEPT_TOKENS = 4096;
/** Allowed difference between the clocks of servers that share keys. */
const SKEW_SECONDS = 60;
const NOT_OURS: Authentication = { refused: UNKNOWN_TOKEN };

/** A token with a verified signature. Its claims never change; its bound objects are checked on each use. */
interface Verified {
  readonly claims: AccountClaims;
  readonly user: UserInfo;
  readonly checks: AccountChecks;
}

/** Signs and verifies tokens of service accounts. */
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

  /** Loads the keys; tries again after a failure. */
  keys(): Promise<TokenKeys> {
    this.#keys ??= this.#options.keys().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  /** Throws when this server has no key to sign with. */
  async sign(claims: AccountClaims): Promise<string> {
    return await signClaims(await this.keys(), this.issuer, claims);
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

  /** Returns `undefined` for another issuer's token or a malformed one, and a sentence for an invalid one of ours. */
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

/** Signs the token that is kept in a Secret. Throws when there is no key to sign with. */
export async function signSecretToken(
  keys: TokenKeys,
  { namespace, account, secret }: SecretTokenClaims,
): Promise<string> {
  const claims = { namespace, account, secret: { name: secret, uid: '' }, audiences: [], isLegacy: true };
  return await signClaims(keys, LEGACY_ISSUER, claims);
}

async function signClaims({ signing }: TokenKeys, issuer: string, claims: AccountClaims): Promise<string> {
  if (signing === undefined) throw new Error('Cannot sign a token: this server has no signing key');
  const { SignJWT } = await import('jose');
  const header = { alg: signing.algorithm, kid: signing.id };
  return await new SignJWT(toPayload(issuer, claims)).setProtectedHeader(header).sign(signing.key);
}

/** Returns the unverified issuer of a token. */
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
 * Returns the payload when one of the keys signed it with its own algorithm; a sentence when there is no such key or the
 * signature is wrong; `undefined` when it is unsigned or not a token.
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
    // A token whose header or payload cannot be read has no issuer.
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
