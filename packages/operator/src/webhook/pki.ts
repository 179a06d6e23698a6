import { X509Certificate as Certificate, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** For servers whose clock is behind. */
const SKEW_MS = 5 * 60 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** An authority for nothing but the certificates of one operator. */
export async function createAuthority(commonName: string, days: number, nowMs: number): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(days, nowMs),
    // Two authorities of one operator live side by side for a while: their names tell them apart.
    name: new x509.Name([{ CN: [{ utf8String: commonName }] }, { SN: [`${nowMs}`] }]),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  return await toPem(certificate.toString('pem'), keys.privateKey);
}

/** A certificate for a server that is reached by these names and addresses. */
export async function issueCertificate(
  authority: KeyPair,
  hosts: readonly string[],
  days: number,
  nowMs: number,
): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const names = hosts.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(days, nowMs),
    subject: new x509.Name([{ CN: [{ utf8String: (hosts[0] ?? '').slice(0, 64) }] }]),
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await readKey(authority.privateKey),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
    ],
  });
  return await toPem(certificate.toString('pem'), keys.privateKey);
}

/** The certificates in a PEM text, in order. What cannot be read is none. */
export function readCertificates(pem: string): Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new Certificate(block));
  } catch {
    return [];
  }
}

/** Old enough to be replaced: a third of its life is left, which is time enough for those who must learn of another. */
export function isAging(certificate: Certificate, nowMs: number): boolean {
  const from = Date.parse(certificate.validFrom);
  return nowMs >= from + ((Date.parse(certificate.validTo) - from) * 2) / 3;
}

export function isExpired(certificate: Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(certificate.validTo);
}

/** Whether a server with this certificate may be called so. */
export function isFor(certificate: Certificate, host: string): boolean {
  return (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

export function isSignedBy(certificate: Certificate, authority: Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** Only who makes certificates loads what it takes. */
async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}

function validity(
  days: number,
  nowMs: number,
): { readonly serialNumber: string; readonly notBefore: Date; readonly notAfter: Date } {
  const serial = webcrypto.getRandomValues(new Uint8Array(16));
  serial[0]! &= 0x7f;
  return {
    serialNumber: Buffer.from(serial).toString('hex'),
    notBefore: new Date(nowMs - SKEW_MS),
    notAfter: new Date(nowMs + days * DAY_MS),
  };
}

async function readKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

async function toPem(certificate: string, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  const privateKey = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
  return { certificate: `${certificate.trim()}\n`, privateKey };
}
