import { readFile } from 'node:fs/promises';
import type { Authenticator } from '@pintle/apiserver';
import { AuthenticatorChain, CertificateAuthenticator, parseTokenFile, TokenAuthenticator } from '@pintle/apiserver';
import { type Clock, realClock } from '@pintle/async';
import { UsageError } from '../usage-error.ts';

export interface ClientAuthorities {
  /** Authorities of client certificates, in PEM. */
  readonly authorities: string;
  /** Calls `handler` after each change; absent when they never change. */
  subscribe?(handler: (current: { readonly clientCa: string }) => void): Disposable;
}

interface CredentialFiles {
  readonly tokenFile?: string | undefined;
  readonly revokedFile?: string | undefined;
}

/** Creates the authenticator for client certificates that are not revoked, and for the bearer tokens of a file. */
export async function authenticatorOf(
  source: ClientAuthorities,
  files: CredentialFiles = {},
  clock: Clock = realClock,
): Promise<Authenticator> {
  const { tokenFile, revokedFile } = files;
  const revoked = revokedFile === undefined ? [] : await readRevoked(revokedFile);
  const certificates = new CertificateAuthenticator({
    authorities: source.authorities,
    clock,
    revoked,
  });
  source.subscribe?.(({ clientCa }) => certificates.setAuthorities(clientCa));
  if (tokenFile === undefined) return certificates;
  return new AuthenticatorChain([certificates, new TokenAuthenticator(await readTokens(tokenFile))]);
}

/** Reads fingerprints as `openssl x509 -fingerprint -sha256` or the audit log writes them; `#` begins a comment. */
async function readRevoked(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`Cannot read --revoked-client-certificates-file: ${error.message}`);
  });
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.filter((line) => line !== '').map(readFingerprint);
}

function readFingerprint(line: string): string {
  const digits = line
    .slice(line.indexOf('=') + 1)
    .replaceAll(':', '')
    .toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new UsageError(
    `Cannot use --revoked-client-certificates-file: ${JSON.stringify(line)} is not a SHA-256 fingerprint`,
  );
}

async function readTokens(path: string): Promise<ReturnType<typeof parseTokenFile>> {
  try {
    return parseTokenFile(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`Cannot use --token-auth-file ${path}: ${(error as Error).message}`);
  }
}
