import type { Clock } from '@pintle/async';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject, parseJson } from '@pintle/machinery/json';
import type { errors, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { OutboundClient, targetOfUrl } from '../../outbound/index.ts';

const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
/** Requests to the issuer are too rare to keep connections. */
const CONNECTIONS = { maxConnections: 1, maxIdleConnections: 0 };
const MAX_KEYS = 64;
/** Shortest time between two requests to the issuer, however many tokens name unknown keys. */
const COOLDOWN_MS = 10_000;

/** True when several keys match a token without a key id. The error iterates over them. */
export function isAmbiguous(error: unknown): error is errors.JWKSMultipleMatchingKeys {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS';
}

function isPublicKey(key: JsonValue): boolean {
  return isJsonObject(key) && (key.kty === 'RSA' || key.kty === 'EC');
}

/** Public keys of an OpenID issuer: fetched when first needed, and again when a token names an unknown one. */
export class OidcKeys {
  readonly #issuer: string;
  readonly #ca: string | undefined;
  readonly #clock: Clock;
  readonly #outbound = new OutboundClient(CONNECTIONS);
  #keys: JWTVerifyGetKey | undefined;
  #fetching: Promise<void> | undefined;
  /** Monotonic: the wall clock may be set back. */
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly issuer: string; readonly ca: string | undefined; readonly clock: Clock }) {
    this.#issuer = options.issuer;
    this.#ca = options.ca;
    this.#clock = options.clock;
  }

  /** Throws when there is no such key, or the issuer cannot be reached. */
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

  /** Fetches the keys again. False when they were fetched a moment ago. Throws when the issuer cannot be reached. */
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
