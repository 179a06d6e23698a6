import { readFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { ClientConfig } from './client-config.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { headerText } from './fields.ts';
import { OidcProvider } from './oidc.ts';

/** Authenticates requests until it expires. */
export interface Credential {
  /** Value of the Authorization header. */
  readonly authorization?: string;
  /** A client certificate and its key, in PEM. */
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

export interface CredentialSource {
  current(): Promise<Credential>;
  /** Called when the server answered 401 to `refused`. Resolves with true when newer credentials are available. */
  renew(refused: Credential): Promise<boolean>;
}

/** Returns the credentials of a user, except certificates from files, which belong to the connection. */
export function credentialsOf(config: ClientConfig, clock: Clock): CredentialSource {
  const { user } = config;
  if (user.tokenFile !== undefined) return new TokenFile(user.tokenFile, user.token, clock);
  if (user.token !== undefined) return fixed({ authorization: headerText(`Bearer ${user.token}`, 'the token') });
  if (user.username !== undefined) {
    const pair = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    return fixed({ authorization: `Basic ${pair}` });
  }
  if (user.exec !== undefined) return new ExecPlugin(user.exec, config.cluster, { clock });
  if (user.authProvider?.name === 'oidc') return new OidcProvider(user.authProvider.config, clock);
  if (user.authProvider !== undefined) {
    const what = `auth-provider ${JSON.stringify(user.authProvider.name)} is not supported: use an exec plugin`;
    throw new ClientError({ code: 'NoCredentials', what });
  }
  return fixed({});
}

function fixed(credential: Credential): CredentialSource {
  return { current: async () => credential, renew: async () => false };
}

/** Interval at which the token file is read again; a refused token is read again at once. */
const TOKEN_FILE_AGE_MS = 10_000;

class TokenFile implements CredentialSource {
  readonly #file: string;
  readonly #clock: Clock;
  /** Last token that was read: a file that is being replaced may be missing for a moment. */
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, token: string | undefined, clock: Clock) {
    this.#file = file;
    this.#token = token;
    this.#clock = clock;
  }

  async current(): Promise<Credential> {
    if (this.#clock.monotonic() - this.#readAt >= TOKEN_FILE_AGE_MS) await this.#read();
    return { authorization: `Bearer ${this.#token}` };
  }

  async renew({ authorization }: Credential): Promise<boolean> {
    await this.#read();
    return authorization !== `Bearer ${this.#token}`;
  }

  async #read(): Promise<void> {
    try {
      const token = (await readFile(this.#file, 'utf8')).trim();
      if (token === '') throw new Error('the file is empty');
      this.#token = headerText(token, 'the token');
      this.#readAt = this.#clock.monotonic();
    } catch (cause) {
      if (this.#token !== undefined) return;
      throw new ClientError({ code: 'NoCredentials', what: `cannot read token file ${this.#file}` }, { cause });
    }
  }
}
