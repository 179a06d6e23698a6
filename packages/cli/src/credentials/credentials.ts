import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/pki';
import { UsageError } from '../usage-error.ts';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './private-file.ts';

/** Certificates of a server and of its first client. */
export interface Credentials {
  /** Certificate authority of `server` and `admin`. */
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  /** Client certificate for aggregated API servers. Its authority signs nothing else. */
  readonly frontProxy: { readonly authority: KeyPair; readonly client: KeyPair };
}

interface CredentialOptions {
  /** Names and addresses of the server, besides those of this machine. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
/** Certificates that expire within this time are renewed. */
const RENEW_DAYS = 30;
/** Common name of this server at aggregated API servers. */
export const FRONT_PROXY = 'front-proxy-client';
const FILE = 'credentials.json';
const TOKEN_KEY_FILE = 'service-account.key';
const OWN_HOSTS = ['127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/**
 * Reads the credentials in `folder`. Creates them on the first start, and renews those that expire soon or do not name the
 * hosts. Throws UsageError when other users may read the file.
 */
export async function openCredentials(folder: string, options: CredentialOptions): Promise<Credentials> {
  await openPrivateFolder(folder);
  const path = join(folder, FILE);
  const kept = parse(path, await readPrivateFile(path));
  const credentials = await renewCredentials(kept, options);
  if (credentials !== kept) await keepCredentials(folder, credentials);
  return credentials;
}

/** Writes the credentials to a folder. */
export async function keepCredentials(folder: string, credentials: Credentials): Promise<void> {
  await writePrivateFile(join(folder, FILE), JSON.stringify(credentials, undefined, 2));
}

/**
 * Returns the key in `folder` that signs service account tokens; creates it when it is missing. That takes longer than the
 * rest of a start, so call it only when the key is needed.
 */
export async function openTokenKey(folder: string): Promise<string> {
  const path = join(folder, TOKEN_KEY_FILE);
  const kept = await readPrivateFile(path);
  if (kept !== undefined) return kept;
  const { generateTokenKey } = await import('@pintle/kube-apiserver');
  const key = await generateTokenKey();
  await writePrivateFile(path, key);
  return key;
}

/**
 * Returns `kept` when all certificates are valid long enough, else replaces those that are not. For the start of a server:
 * may replace authorities too.
 */
export async function renewCredentials(
  kept: Credentials | undefined,
  options: CredentialOptions,
): Promise<Credentials> {
  const { nowMs } = options;
  const hosts = hostsOf(options);
  if (kept === undefined || !isGood(kept.authority, nowMs)) return await issue({}, hosts, nowMs);
  const { authority, frontProxy } = kept;
  // The authority must outlive the certificates that it signs while the server runs.
  const isLasting = frontProxy !== undefined && isGood(frontProxy.authority, nowMs + CERTIFICATE_DAYS * DAY_MS);
  if (!isLasting) return await issue({ authority }, hosts, nowMs);
  return await renewCertificates(kept, options);
}

/** Renews the certificates of a running server. The authorities stay, since their certificates are in use. */
export async function renewCertificates(kept: Credentials, options: CredentialOptions): Promise<Credentials> {
  const { nowMs } = options;
  const hosts = hostsOf(options);
  const { authority, server, admin, frontProxy } = kept;
  const areGood = [server, admin, frontProxy.client].every((pair) => isGood(pair, nowMs));
  if (areGood && names(server, hosts)) return kept;
  return await issue({ authority, proxyAuthority: frontProxy.authority }, hosts, nowMs);
}

function hostsOf({ hosts }: CredentialOptions): string[] {
  return [...new Set([...hosts, ...OWN_HOSTS])];
}

function isGood(pair: KeyPair, atMs: number): boolean {
  return expiryOf(pair) - atMs > RENEW_DAYS * DAY_MS;
}

function parse(path: string, text: string | undefined): Credentials | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as Credentials;
    for (const pair of [kept.authority, kept.server, kept.admin]) expiryOf(pair);
    return kept;
  } catch {
    throw new UsageError(`Cannot read ${path}: it is damaged. Move it away to create new credentials.`);
  }
}

function expiryOf({ certificate }: KeyPair): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

function names({ certificate }: KeyPair, hosts: readonly string[]): boolean {
  const parsed = new X509Certificate(certificate);
  return hosts.every((host) => (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined);
}

interface Authorities {
  readonly authority?: KeyPair;
  readonly proxyAuthority?: KeyPair;
}

async function issue(kept: Authorities, hosts: readonly string[], nowMs: number): Promise<Credentials> {
  // Only starts that create certificates load the library.
  const { createAuthority, issueCertificate } = await import('@pintle/pki');
  const authority = kept.authority ?? (await createAuthority('pintle', AUTHORITY_DAYS, nowMs));
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
  const proxyAuthority = kept.proxyAuthority ?? (await createAuthority('pintle-front-proxy', AUTHORITY_DAYS, nowMs));
  const client = await issueCertificate(
    proxyAuthority,
    { commonName: FRONT_PROXY, hosts: [], usage: 'client', days: CERTIFICATE_DAYS },
    nowMs,
  );
  return { authority, server, admin, frontProxy: { authority: proxyAuthority, client } };
}
