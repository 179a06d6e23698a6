import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonAttributeObject,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface IssueOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Names and addresses a server may be reached by. */
  readonly hosts?: readonly string[];
  readonly usage: 'server' | 'client';
  readonly days: number;
}

export const SIGNING_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;
/** Certificates are valid from a little earlier, for clients whose clock is behind. */
const SKEW_MS = 5 * 60 * 1000;

/** A new certificate authority. */
export async function createAuthority(commonName: string, days: number, nowMs: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(SIGNING_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(days, nowMs),
    name: nameOf(commonName, []),
    keys,
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

/** A certificate for a server or a client, signed by the authority. */
export async function issueCertificate(authority: KeyPair, options: IssueOptions, nowMs: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(SIGNING_ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    ...validity(options.days, nowMs),
    subject: nameOf(options.commonName, options.organizations ?? []),
    issuer: new X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.privateKey),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([
        options.usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth,
      ]),
      ...(options.hosts === undefined ? [] : [new SubjectAlternativeNameExtension(options.hosts.map(toGeneralName))]),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

function validity(days: number, nowMs: number): Validity {
  return validUntil(new Date(nowMs + days * DAY_MS), nowMs);
}

export interface Validity {
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export function validUntil(notAfter: Date, nowMs: number): Validity {
  const serial = webcrypto.getRandomValues(new Uint8Array(16));
  serial[0]! &= 0x7f;
  return {
    serialNumber: Buffer.from(serial).toString('hex'),
    notBefore: new Date(nowMs - SKEW_MS),
    notAfter,
  };
}

function nameOf(commonName: string, organizations: readonly string[]): Name {
  return new Name([
    ...organizations.map((organization) => ({ O: [verbatim(organization)] })),
    { CN: [verbatim(commonName)] },
  ]);
}

/** A value of a name as it is. The library reads plain strings as RFC 4514 text: `#`, quotes and backslashes mean more. */
function verbatim(text: string): JsonAttributeObject {
  return Name.isPrintableString(text) ? { printableString: text } : { utf8String: text };
}

function toGeneralName(host: string): JsonGeneralNames[number] {
  return isIP(host) === 0 ? { type: 'dns', value: host } : { type: 'ip', value: host };
}

export async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = PemConverter.decodeFirst(pem);
  return await webcrypto.subtle.importKey('pkcs8', der, SIGNING_ALGORITHM, false, ['sign']);
}

async function toPem(certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    privateKey: `${PemConverter.encode(der, 'PRIVATE KEY')}\n`,
  };
}
