import type { Clock } from '@pintle/async';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson } from '@pintle/machinery/json';
import type { errors, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { OutboundClient, targetOfUrl } from '../../outbound/index.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
/** The issuer is asked too rarely for connections to be kept. */
const CONNECTIONS = { maxConnections: 1, maxIdleConnections: 0 };
const MAX_KEYS = 64;
/** However many tokens name unknown keys, the issuer is asked no more often. */
const COOLDOWN_MS = 10_000;

/** Several keys may have signed a token that does not say which. The error gives them one after the other. */
export function isAmbiguous(error: unknown): error is errors.JWKSMultipleMatchingKeys {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS';
}

function isPublicKey(key: JsonValue): boolean {
  return isJsonObject(key) && (key.kty === 'RSA' || key.kty === 'EC');
}

/** The public keys of an OpenID issuer: fetched when first needed, and again when a token names one that is new. */
export class OidcKeys {
  readonly #issuer: string;
  readonly #ca: string | undefined;
  readonly #clock: Clock;
  readonly #outbound = new OutboundClient(CONNECTIONS);
  #keys: JWTVerifyGetKey | undefined;
  #fetching: Promise<void> | undefined;
  /** By the clock that only goes forward: somebody may set the other one back by a day. */
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly issuer: string; readonly ca: string | undefined; readonly clock: Clock }) {
    this.#issuer = options.issuer;
    this.#ca = options.ca;
    this.#clock = options.clock;
  }

  /** Throws when there is no such key, or the issuer cannot be asked. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    if (this.#keys !== undefined) {
      const known = await Promise.resolve(this.#keys(header, token)).catch((error: unknown) => {
        if (isAmbiguous(error)) throw error;
        return undefined;
      });
      if (known !== undefined) return known;
    }
    await this.renew();
    if (this.#keys === undefined) throw new Error(`Cannot verify a token: the keys of ${this.#issuer} are not known`);
    return await this.#keys(header, token);
  };

  /** Asks the issuer again. False: it was asked a moment ago, and nothing has changed. Throws when it cannot be asked. */
  async renew(): Promise<boolean> {
    if (this.#fetching === undefined) {
      if (this.#clock.monotonic() - this.#askedAtMs < COOLDOWN_MS) return false;
      this.#askedAtMs = this.#clock.monotonic();
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    await this.#fetching;
    return true;
  }

  async #fetch(): Promise<void> {
    const { createLocalJWKSet } = await import('jose');
    const base = this.#issuer.replace(/\/$/, '');
    const configuration = await this.#fetchJson(`${base}/.well-known/openid-configuration`);
    if (!isJsonObject(configuration) || configuration.issuer !== this.#issuer) {
      throw new Error(`Cannot trust ${this.#issuer}: its configuration names another issuer`);
    }
    const set = await this.#fetchJson(String(configuration.jwks_uri));
    const keys = isJsonObject(set) && Array.isArray(set.keys) ? set.keys.filter(isPublicKey).slice(0, MAX_KEYS) : [];
    this.#keys = createLocalJWKSet({ keys } as unknown as JSONWebKeySet);
  }
  async #fetchJson(href: string): Promise<JsonValue> {
    try {
      const url = new URL(href);
      const request = { path: `${url.pathname}${url.search}`, headers: { accept: 'application/json' } };
      const limits = { ...LIMITS, clock: this.#clock };
      const { status, body } = await this.#outbound.fetch(() => targetOfUrl(url, this.#ca), request, limits);
      if (status !== 200) throw new Error(`the response has the status ${status}`);
      return parseJson(body);
    } catch (error) {
      throw new Error(`Cannot fetch ${href}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}
