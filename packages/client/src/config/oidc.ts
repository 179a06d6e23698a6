import { readFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import { withDeadline } from '../rest/deadline.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { readAll } from '../transport/transport.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { Fields, headerText } from './fields.ts';

/** A token is renewed so long before it expires. */
const LEEWAY_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** All requests wait for a token: an issuer that does not answer is given up after so long. */
const ANSWER_MS = 30_000;

/**
 * kubeconfig's `auth-provider: oidc`: an ID token, renewed by a refresh token. What was renewed is kept in memory and
 * never written to the kubeconfig; a provider whose refresh tokens work once wants an exec plugin instead.
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
        throw error instanceof ClientError ? error : problem('the ID token cannot be renewed', error);
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const issuer = this.#config['idp-issuer-url'];
    if (!issuer || !this.#refreshToken)
      throw problem('the ID token has expired, and there is no refresh-token and idp-issuer-url to renew it with');
    const discovery = await this.#ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const endpoint = tokenEndpointOf(issuer, discovery.text('token_endpoint'));
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: this.#refreshToken });
    form.set('client_id', this.#config['client-id'] ?? '');
    if (this.#config['client-secret']) form.set('client_secret', this.#config['client-secret']);
    const answer = await this.#ask(endpoint, form.toString());
    const idToken = answer.text('id_token');
    if (idToken === undefined) throw problem(`the issuer ${issuer} gave no id_token`);
    this.#idToken = idToken;
    this.#refreshToken = answer.text('refresh_token') ?? this.#refreshToken;
  }

  async #ask(address: string, form?: string): Promise<Fields> {
    const { origin, pathname, search } = new URL(address);
    const transport = new HttpTransport({ server: origin, tls: await this.#tls(), protocol: 'http/1.1' });
    try {
      return await withDeadline(this.#clock, { timeoutMs: ANSWER_MS, what: address }, async (signal) => {
        const response = await transport.send({
          method: form === undefined ? 'GET' : 'POST',
          path: pathname,
          query: search.slice(1),
          headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          ...(form !== undefined && { body: Buffer.from(form) }),
          signal,
        });
        const bytes = await readAll(response, { maxBytes: MAX_ANSWER_BYTES });
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

/** Where tokens are renewed. The refresh token and the client's secret are not sent in the clear because an issuer says so. */
export function tokenEndpointOf(issuer: string, endpoint: string | undefined): string {
  if (endpoint === undefined || !URL.canParse(endpoint)) throw problem(`the issuer ${issuer} names no token_endpoint`);
  if (new URL(issuer).protocol === 'https:' && new URL(endpoint).protocol !== 'https:')
    throw problem(`the issuer ${issuer} names a token_endpoint without TLS: ${endpoint}`);
  return endpoint;
}

/** When a JWT expires, by its own word; one that does not say never does. */
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
