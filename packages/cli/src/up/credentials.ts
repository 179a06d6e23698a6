import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/apiserver/pki';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../serve/private-file.ts';
import { UsageError } from '../usage-error.ts';

/** What a server needs to prove itself, and its first client to be let in. */
export interface Credentials {
  /** Signs the other two. */
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** What the server shows to servers that extend it, and who signed that: nobody else is believed by its authority. */
  readonly frontProxy: { readonly authority: KeyPair; readonly client: KeyPair };
}

export interface CredentialOptions {
  /** Names and addresses the server is reached by, besides those of this machine. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
/** Certificates with less time left are made anew. */
const RENEW_DAYS = 30;
/** The name that servers which extend this one know it by. */
export const FRONT_PROXY = 'front-proxy-client';
const FILE = 'credentials.json';
const TOKEN_KEY_FILE = 'service-account.key';
const OWN_HOSTS = ['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/**
 * Reads the credentials kept in `folder`; makes them on the first start, and anew those that are about to expire or do
 * not name the hosts. The file is for its owner alone and refused otherwise.
 */
export async function openCredentials(folder: string, options: CredentialOptions): Promise<Credentials> {
  await openPrivateFolder(folder);
  const path = join(folder, FILE);
  const kept = parse(path, await readPrivateFile(path));
  const credentials = await renewCredentials(kept, options);
  if (credentials !== kept) await writePrivateFile(path, JSON.stringify(credentials, undefined, 2));
  return credentials;
}

/**
 * The key in `folder` that tokens of service accounts are signed with; it is made when there is none. Making one takes
 * longer than the rest of a start, so ask for it when it is needed.
 */
export async function openTokenKey(folder: string): Promise<string> {
  const path = join(folder, TOKEN_KEY_FILE);
  const kept = await readPrivateFile(path);
  if (kept !== undefined) return kept;
  const { generateTokenKey } = await import('@pintle/apiserver');
  const key = await generateTokenKey();
  await writePrivateFile(path, key);
  return key;
}

/** The same credentials when all of them are still good; else with new ones in the place of those that are not. */
export async function renewCredentials(
  kept: Credentials | undefined,
  options: CredentialOptions,
): Promise<Credentials> {
  const { nowMs } = options;
  const hosts = [...new Set([...options.hosts, ...OWN_HOSTS])];
  const isGood = (pair: KeyPair): boolean => expiryOf(pair) - nowMs > RENEW_DAYS * DAY_MS;
  const authority = kept !== undefined && isGood(kept.authority) ? kept.authority : undefined;
  if (kept !== undefined && authority !== undefined) {
    const isProxyGood = kept.frontProxy !== undefined && isGood(kept.frontProxy.client);
    if (isGood(kept.server) && names(kept.server, hosts) && isGood(kept.admin) && isProxyGood) return kept;
  }
  return await issue(authority, hosts, nowMs);
}

function parse(path: string, text: string | undefined): Credentials | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as Credentials;
    for (const pair of [kept.authority, kept.server, kept.admin]) expiryOf(pair);
    return kept;
  } catch {
    throw new UsageError(`Cannot read ${path}: it is damaged. Move it away and new credentials are made.`);
  }
}

function expiryOf({ certificate }: KeyPair): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

function names({ certificate }: KeyPair, hosts: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate);
  return hosts.every((host) => (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined);
}

async function issue(kept: KeyPair | undefined, hosts: readonly string[], nowMs: number): Promise<Credentials> {
  // Making certificates takes a library that an ordinary start does not need.
  const { createAuthority, issueCertificate } = await import('@pintle/apiserver/pki');
  const authority = kept ?? (await createAuthority('pintle', AUTHORITY_DAYS, nowMs));
  const server = await issueCertificate(
    authority,
    { commonName: 'pintle-apiserver', hosts, usage: 'server', days: CERTIFICATE_DAYS },
    nowMs,
  );
  const admin = await issueCertificate(
    authority,
    { commonName: 'kubernetes-admin', organizations: ['system:masters'], usage: 'client', days: CERTIFICATE_DAYS },
    nowMs,
  );
  const proxyAuthority = await createAuthority('pintle-front-proxy', CERTIFICATE_DAYS, nowMs);
  const client = await issueCertificate(
    proxyAuthority,
    { commonName: FRONT_PROXY, hosts: [], usage: 'client', days: CERTIFICATE_DAYS },
    nowMs,
  );
  return { authority, server, admin, frontProxy: { authority: proxyAuthority, client } };
}
