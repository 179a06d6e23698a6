import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The attribute of a subject by which Kubernetes knows the uid of a user. */
const USER_ID = '1.3.6.1.4.1.57683.2';

/** The attributes of a certificate's subject that name a user, each in the order of the certificate. */
export interface CertificateSubject {
  readonly names: readonly string[];
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

/** Reads whom a certificate names. Whatever checks a certificate before it is signed reads it with this function too. */
export function readSubject(certificate: X509Certificate): CertificateSubject {
  const subject = certificate.toLegacyObject().subject as Record<string, string | string[]>;
  const listOf = (name: string): string[] => [subject[name] ?? []].flat();
  return { names: listOf('CN'), organizations: listOf('O'), uids: listOf(USER_ID) };
}

/** The certificates in a PEM text, in order. What cannot be read is none. */
export function readCertificates(pem: string): X509Certificate[] {
  try {
    return blocksOf(pem).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

function blocksOf(pem: string): string[] {
  const blocks: string[] = [];
  for (let start = pem.indexOf(BEGIN); start >= 0; ) {
    const end = pem.indexOf(END, start + BEGIN.length);
    if (end < 0) break;
    blocks.push(pem.slice(start, end + END.length));
    start = pem.indexOf(BEGIN, end + END.length);
  }
  return blocks;
}

/** Old enough to be replaced: a third of its life is left, which is time enough for those who must learn of another. */
export function isAging(certificate: X509Certificate, nowMs: number): boolean {
  const from = Date.parse(certificate.validFrom);
  return nowMs >= from + ((Date.parse(certificate.validTo) - from) * 2) / 3;
}

export function isExpired(certificate: X509Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(certificate.validTo);
}

/** Whether a server with this certificate may be called so. */
export function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

export function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}
