import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Attribute of a subject that Kubernetes reads as the uid of a user. */
const USER_ID = '1.3.6.1.4.1.57683.2';

/** Attributes of a certificate's subject that identify a user, in the order of the certificate. */
export interface CertificateSubject {
  readonly names: readonly string[];
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

/** Reads the user that a certificate identifies. Checks before signing use this function too. */
export function readSubject(certificate: X509Certificate): CertificateSubject {
  const subject = certificate.toLegacyObject().subject as Record<string, string | string[]>;
  const listOf = (name: string): string[] => [subject[name] ?? []].flat();
  return { names: listOf('CN'), organizations: listOf('O'), uids: listOf(USER_ID) };
}

/** Returns the certificates in a PEM text, in order, and none when one cannot be read. */
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

/** True when less than a third of its validity is left: time enough to distribute another. */
export function isDueForRenewal(certificate: X509Certificate, nowMs: number): boolean {
  const from = Date.parse(certificate.validFrom);
  return nowMs >= from + ((Date.parse(certificate.validTo) - from) * 2) / 3;
}

export function isExpired(certificate: X509Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(certificate.validTo);
}

/** True when the certificate is valid for the host name or address. */
export function isForHost(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

export function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}
