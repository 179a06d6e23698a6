import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyPair } from '@pintle/apiserver/pki';

/** What a server needs to prove itself, and its first client to be let in. */
export interface Credentials {
  /** The certificate authority that signed both, in PEM. */
  readonly authority: string;
  readonly server: KeyPair;
  readonly admin: KeyPair;
}

const AUTHORITY_DAYS = 3650;
const CERTIFICATE_DAYS = 365;
const FILE = 'credentials.json';

/** Reads the credentials kept in `folder`; makes them on the first start. The file is for its owner alone. */
export async function openCredentials(
  folder: string,
  options: { readonly hosts: readonly string[]; readonly nowMs: number },
): Promise<Credentials> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE);
  const kept = await readKept(path);
  if (kept !== undefined) return kept;
  const credentials = await createCredentials(options);
  await writeFile(`${path}.new`, JSON.stringify(credentials, undefined, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
  await chmod(path, 0o600);
  return credentials;
}

async function readKept(path: string): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`Cannot read ${path}: it is not what was written there`, { cause: error });
  }
}

async function createCredentials(options: {
  readonly hosts: readonly string[];
  readonly nowMs: number;
}): Promise<Credentials> {
  // Making certificates takes a library that a later start does not need.
  const { createAuthority, issueCertificate } = await import('@pintle/apiserver/pki');
  const authority = await createAuthority('pintle', AUTHORITY_DAYS, options.nowMs);
  const hosts = [
    ...new Set([
      ...options.hosts,
      '127.0.0.1',
      '::1',
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
    ]),
  ];
  const server = await issueCertificate(
    authority,
    { commonName: 'pintle-apiserver', hosts, usage: 'server', days: CERTIFICATE_DAYS },
    options.nowMs,
  );
  const admin = await issueCertificate(
    authority,
    { commonName: 'kubernetes-admin', organizations: ['system:masters'], usage: 'client', days: CERTIFICATE_DAYS },
    options.nowMs,
  );
  return { authority: authority.certificate, server, admin };
}
