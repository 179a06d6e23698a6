import { readFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { withDeadline } from '../rest/deadline.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { readAll } from '../transport/transport.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { Fields, headerText } from './fields.ts';

/** Time before expiry at which a token is renewed. */
const LEEWAY_MS = 10_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Timeout of requests to the issuer; all API requests wait for the token. */
const RESPONSE_TIMEOUT_MS = 30_000;

/**
 * `auth-provider: oidc` of a kubeconfig: an ID token, renewed with a refresh token. Keeps renewed tokens in memory and never
 * writes them to the kubeconfig; for a provider whose refresh tokens work only once, use an exec plugin.
 */
export class OidcProvider implements CredentialSource {
  readonly #config: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(config: Readonly<Record<string, string>>, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#idToken = config['id-token'] || undefined;
    this.#refreshToken = config['refresh-token'] || undefined;
  }

  async current(): Promise<Credential> {
    if (this.#idToken === undefined || expiryOf(this.#idToken) - LEEWAY_MS <= this.#clock.now())
      await this.#renewOnce();
    return { authorization: headerText(`Bearer ${this.#idToken}`, 'the ID token') };
  }

  async renew({ authorization }: Credential): Promise<boolean> {
    if (this.#refreshToken === undefined) return false;
    if (authorization === `Bearer ${this.#idToken}`) await this.#renewOnce();
    return authorization !== `Bearer ${this.#idToken}`;
  }

  #renewOnce(): Promise<void> {
    this.#renewing ??= this.#renew()
      .catch((error: unknown) => {
        throw error instanceof ClientError ? error : problem('cannot renew the ID token', error);
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const issuer = this.#config['idp-issuer-url'];
    if (!issuer || !this.#refreshToken)
      throw problem('the ID token has expired, and refresh-token or idp-issuer-url is not set');
    const discovery = await this.#fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const endpoint = tokenEndpointOf(issuer, discovery.text('token_endpoint'));
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: this.#refreshToken });
    form.set('client_id', this.#config['client-id'] ?? '');
    if (this.#config['client-secret']) form.set('client_secret', this.#config['client-secret']);
    const answer = await this.#fetch(endpoint, form.toString());
    const idToken = answer.text('id_token');
    if (idToken === undefined) throw problem(`issuer ${issuer} returned no id_token`);
    this.#idToken = idToken;
    this.#refreshToken = answer.text('refresh_token') ?? this.#refreshToken;
  }

  async #fetch(address: string, form?: string): Promise<Fields> {
    const { origin, pathname, search } = new URL(address);
    const transport = new HttpTransport({ server: origin, tls: await this.#tls(), protocol: 'http/1.1' });
    try {
      return await withDeadline(this.#clock, { timeoutMs: RESPONSE_TIMEOUT_MS, what: address }, async (signal) => {
        const response = await transport.send({
          method: form === undefined ? 'GET' : 'POST',
          path: pathname,
          query: search.slice(1),
          headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          ...(form !== undefined && { body: Buffer.from(form) }),
          signal,
        });
        const bytes = await readAll(response, { maxBytes: MAX_RESPONSE_BYTES });
        if (response.status !== 200) throw problem(`${address} answered ${response.status}`);
        return new Fields(parseJson(bytes, trustedLimits), address);
      });
    } finally {
      await transport.close();
    }
  }

  async #tls(): Promise<{ readonly ca?: Uint8Array }> {
    const data = this.#config['idp-certificate-authority-data'];
    const file = this.#config['idp-certificate-authority'];
    if (data) return { ca: Buffer.from(data, 'base64') };
    return file ? { ca: await readFile(file) } : {};
  }
}

/** Returns the URL that renews tokens. Throws for plain HTTP, which would expose the refresh token and the client secret. */
export function tokenEndpointOf(issuer: string, endpoint: string | undefined): string {
  if (endpoint === undefined || !URL.canParse(endpoint)) throw problem(`issuer ${issuer} has no valid token_endpoint`);
  if (new URL(issuer).protocol === 'https:' && new URL(endpoint).protocol !== 'https:')
    throw problem(`issuer ${issuer} has a token_endpoint without TLS: ${endpoint}`);
  return endpoint;
}

/** Returns the expiry time of a JWT in milliseconds by its claim `exp`; infinity when it has none. */
function expiryOf(token: string): number {
  try {
    const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url'), trustedLimits);
    const exp = isJsonObject(claims) ? Number(claims.exp) : Number.NaN;
    return Number.isFinite(exp) ? exp * 1_000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function problem(what: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'NoCredentials', what }, { cause });
}
