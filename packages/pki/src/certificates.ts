import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { JsonAttributeObject, JsonGeneralNames, Name, X509Certificate } from '@peculiar/x509';
import type { Validity } from './signing.ts';
import { importKey, loadX509, SIGNING_ALGORITHM, validUntil } from './signing.ts';

type X509 = Awaited<ReturnType<typeof loadX509>>;

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface IssueOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[];
  readonly usage: 'server' | 'client';
  readonly days: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a certificate authority. Authorities that are trusted together need different names. */
export async function createAuthority(commonName: string, days: number, nowMs: number): Promise<KeyPair> {
  const x509 = await loadX509();
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } = x509;
  const keys = await webcrypto.subtle.generateKey(SIGNING_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(days, nowMs),
    name: nameOf(x509, commonName, []),
    keys,
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });
  return await toPem(x509, certificate, keys.privateKey);
}

/** Issues a certificate for a server or a client, signed by the authority. */
export async function issueCertificate(authority: KeyPair, options: IssueOptions, nowMs: number): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(SIGNING_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(options.days, nowMs),
    subject: nameOf(x509, options.commonName, options.organizations ?? []),
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(x509, authority.privateKey),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        options.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      ...(options.hosts === undefined
        ? []
        : [new x509.SubjectAlternativeNameExtension(options.hosts.map(toGeneralName))]),
    ],
  });
  return await toPem(x509, certificate, keys.privateKey);
}

/** Creates a server's certificate, and an authority that signs it and nothing else. The first host is the common name. */
export async function createServingCertificate(
  { hosts, days }: { readonly hosts: readonly [string, ...string[]]; readonly days: number },
  nowMs: number,
): Promise<KeyPair & { readonly authority: string }> {
  const [commonName] = hosts;
  // The authority needs another name: a certificate with the name of its issuer counts as self-signed.
  const authority = await createAuthority(`${commonName} authority`, days, nowMs);
  const pair = await issueCertificate(authority, { commonName, hosts, usage: 'server', days }, nowMs);
  return { ...pair, authority: authority.certificate };
}

function validity(days: number, nowMs: number): Validity {
  return validUntil(new Date(nowMs + days * DAY_MS), nowMs);
}

function nameOf(x509: X509, commonName: string, organizations: readonly string[]): Name {
  /** Keeps a value as it is. The library parses plain strings as RFC 4514 text, with `#`, quotes and backslashes. */
  const verbatim = (text: string): JsonAttributeObject =>
    x509.Name.isPrintableString(text) ? { printableString: text } : { utf8String: text };
  return new x509.Name([
    ...organizations.map((organization) => ({ O: [verbatim(organization)] })),
    { CN: [verbatim(commonName)] },
  ]);
}

function toGeneralName(host: string): JsonGeneralNames[number] {
  return isIP(host) === 0 ? { type: 'dns', value: host } : { type: 'ip', value: host };
}

async function toPem({ PemConverter }: X509, certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${PemConverter.encode(der, 'PRIVATE KEY')}\n`,
  };
}
