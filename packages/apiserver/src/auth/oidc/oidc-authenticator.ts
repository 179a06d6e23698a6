import { createHash } from 'node:crypto';
import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import type { JWTPayload } from 'jose';
import type { ApiRequest } from '../../request/exchange.ts';
import type { UserInfo } from '../../request/user-info.ts';
import type { Authentication, Authenticator } from '../authenticator.ts';
import { bearerToken, UNKNOWN_TOKEN, withAuthenticatedGroup } from '../authenticator.ts';
import { isAmbiguous, OidcKeys } from './oidc-keys.ts';

export interface OidcOptions {
  /** Issuer of tokens, an https URL. */
  readonly issuer: string;
  /** Audience that tokens must have. */
  readonly clientId: string;
  /** Authorities for the issuer's certificate, in PEM. Default: those of the system. */
  readonly ca?: string;
  /** Default: `sub`. */
  readonly usernameClaim?: string;
  /** Prefix of usernames; `-` for none. Default: the issuer and `#`, and none for the claim `email`. */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** Claims that tokens must have, with their values. */
  readonly requiredClaims?: ReadonlyMap<string, string>;
  /** Default: RS256. */
  readonly algorithms?: readonly string[];
  readonly clock: Clock;
}

const ALGORITHMS: ReadonlySet<string> = new Set([
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
]);
const MAX_TOKEN_BYTES = 64 * 1024;
const MAX_KEPT_TOKENS = 4096;
/** Time for which a verified token is trusted after its key was withdrawn. */
const KEPT_MS = 10_000;

interface KnownToken {
  readonly answer: Authentication;
  /** Wall-clock time. */
  readonly expiresMs: number;
  /** Monotonic time. */
  readonly verifiedMs: number;
}

/** Authenticates ID tokens of one OpenID Connect issuer. */
export class OidcAuthenticator implements Authenticator {
  readonly #options: OidcOptions;
  readonly #keys: OidcKeys;
  readonly #known = new BoundedCache<KnownToken>(MAX_KEPT_TOKENS);

  /** Throws RangeError for an issuer or an algorithm that cannot be used. */
  constructor(options: OidcOptions) {
    if (!URL.canParse(options.issuer) || new URL(options.issuer).protocol !== 'https:') {
      throw new RangeError(`Cannot use the issuer ${options.issuer}: it is not an https URL`);
    }
    for (const algorithm of options.algorithms ?? []) {
      if (!ALGORITHMS.has(algorithm)) throw new RangeError(`Cannot use the signing algorithm ${algorithm}`);
    }
    this.#options = options;
    this.#keys = new OidcKeys({ issuer: options.issuer, ca: options.ca, clock: options.clock });
  }

  async authenticate(request: ApiRequest): Promise<Authentication | undefined> {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    if (token.length > MAX_TOKEN_BYTES) return { refused: UNKNOWN_TOKEN };
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#known.get(digest);
    if (known !== undefined && this.#isGood(known)) return known.answer;
    if (issuerOf(token) !== this.#options.issuer) return { refused: UNKNOWN_TOKEN };
    try {
      const payload = await this.#verify(token);
      const user = this.#userOf(payload);
      if (typeof user === 'string') return { refused: `oidc: ${user}` };
      const answer = { user, source: 'oidc' };
      const { clock } = this.#options;
      this.#known.set(digest, { answer, expiresMs: payload.exp! * 1000, verifiedMs: clock.monotonic() });
      return answer;
    } catch (error) {
      return { refused: `oidc: verify token: ${(error as Error).message}` };
    }
  }

  #isGood({ expiresMs, verifiedMs }: KnownToken): boolean {
    const { clock } = this.#options;
    return clock.now() < expiresMs && clock.monotonic() - verifiedMs < KEPT_MS;
  }

  /**
   * Fetches the keys once more when a signature is wrong or a key is unusable: the issuer may have replaced a key under the
   * same id.
   */
  async #verify(token: string): Promise<JWTPayload> {
    try {
      return await this.#verifyWithKnown(token);
    } catch (error) {
      if (!isKeyError(error) || !(await this.#keys.renew())) throw error;
      return await this.#verifyWithKnown(token);
    }
  }

  async #verifyWithKnown(token: string): Promise<JWTPayload> {
    const { jwtVerify } = await import('jose');
    const { issuer, clientId, algorithms = ['RS256'], clock } = this.#options;
    const options = {
      issuer,
      audience: clientId,
      algorithms: [...algorithms],
      requiredClaims: ['exp'],
      currentDate: new Date(clock.now()),
    };
    try {
      return (await jwtVerify(token, this.#keys.find, options)).payload;
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      let failure: unknown = error;
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (problem) {
          failure = problem;
          if (isWrongClaim(problem)) break;
        }
      }
      throw failure;
    }
  }

  /** Returns the user of a valid token, or why it identifies none. */
  #userOf(payload: JWTPayload): UserInfo | string {
    const { issuer, usernameClaim = 'sub', groupsClaim, groupsPrefix = '', requiredClaims = new Map() } = this.#options;
    for (const [name, value] of requiredClaims) {
      if (claimOf(payload, name) !== value) return `required claim ${name} was not present in the token with its value`;
    }
    const name = claimOf(payload, usernameClaim);
    if (typeof name !== 'string' || name === '') return `parse username claims "${usernameClaim}": claim not present`;
    if (usernameClaim === 'email' && payload.email_verified !== undefined && payload.email_verified !== true) {
      return 'email not verified';
    }
    const fallback = usernameClaim === 'email' ? '' : `${issuer}#`;
    const prefix = this.#options.usernamePrefix ?? fallback;
    const groups = groupsClaim === undefined ? [] : textsOf(claimOf(payload, groupsClaim));
    if (groups === undefined) return `parse groups claim "${groupsClaim}": it is neither a text nor a list of texts`;
    return withAuthenticatedGroup({
      username: `${prefix === '-' ? '' : prefix}${name}`,
      groups: groups.map((group) => `${groupsPrefix}${group}`),
    });
  }
}

function claimOf(payload: JWTPayload, name: string): unknown {
  return Object.hasOwn(payload, name) ? payload[name] : undefined;
}

/** Returns the texts of a claim, none when it is absent; `undefined` when it is neither a text nor a list of texts. */
function textsOf(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value : [value];
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
}

/** True when the signature is valid, so that no other key needs to be tried. */
function isWrongClaim(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_JWT_');
}

/** True when the key, not the token, may be the cause. Errors about tokens have codes of jose; others concern the key. */
function isKeyError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' || !/^ERR_(JWS|JWT|JWKS|JOSE)_/.test(code);
}

/** Returns the issuer of an unverified token, to decide whether this authenticator verifies it. */
function issuerOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).iss;
  } catch {
    return undefined;
  }
}
