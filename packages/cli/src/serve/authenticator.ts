import { readFile } from 'node:fs/promises';
import type { Authenticator } from '@pintle/apiserver';
import { AuthenticatorChain, CertificateAuthenticator, parseTokenFile, TokenAuthenticator } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import { UsageError } from '../usage-error.ts';

/** Client certificates of the authorities, and bearer tokens when a file lists some. */
export async function authenticatorOf(authorities: string, tokenFile: string | undefined): Promise<Authenticator> {
  const certificates = new CertificateAuthenticator({ authorities, clock: realClock });
  if (tokenFile === undefined) return certificates;
  return new AuthenticatorChain([certificates, new TokenAuthenticator(await readTokens(tokenFile))]);
}

async function readTokens(path: string): Promise<ReturnType<typeof parseTokenFile>> {
  try {
    return parseTokenFile(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`Cannot use the token file ${path}: ${(error as Error).message}`);
  }
}
