import { readFile } from 'node:fs/promises';
import type { Clock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { ClientConfig } from './client-config.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { headerText } from './fields.ts';
import { OidcProvider } from './oidc.ts';

/** What proves who we are, for a while. */
export interface Credential {
  /** The Authorization header. */
  readonly authorization?: string;
  /** A client certificate and its key, in PEM. */
  readonly cert?: string | Uint8Array;
  readonly key?: string | Uint8Array;
}

/** Where credentials come from. */
export interface CredentialSource {
  current(): Promise<Credential>;
  /** The server did not accept `refused`. Whether there may be better ones now. */
  renew(refused: Credential): Promise<boolean>;
}

/** A user's credentials other than certificates, which belong to the connection. */
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
    const what = `the auth-provider ${JSON.stringify(user.authProvider.name)} is no longer supported: use an exec plugin`;
    throw new ClientError({ code: 'NoCredentials', what });
  }
  return fixed({});
}

function fixed(credential: Credential): CredentialSource {
  return { current: async () => credential, renew: async () => false };
}

/** A rotated token is noticed after so long, or at once when the old one is refused. */
const TOKEN_FILE_AGE_MS = 10_000;

class TokenFile implements CredentialSource {
  readonly #file: string;
  readonly #clock: Clock;
  /** The last that could be read: a file that is being replaced may be away for a moment. */
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
      if (token === '') throw new Error('it is empty');
      this.#token = headerText(token, 'its token');
      this.#readAt = this.#clock.monotonic();
    } catch (cause) {
      if (this.#token !== undefined) return;
      throw new ClientError({ code: 'NoCredentials', what: `the token file ${this.#file} is of no use` }, { cause });
    }
  }
}
