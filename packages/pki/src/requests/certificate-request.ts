import 'reflect-metadata';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Clock } from '@pintle/async';
import { requestSizeProblem } from '@pintle/machinery/certificates';
import { deepEqual } from '@pintle/machinery/json';
import type { KeyPair } from '../certificates.ts';
import { readSubject } from '../read-certificates.ts';
import { importKey, SIGNING_ALGORITHM, validUntil } from '../signing.ts';
import { contentsOf, joinOrganizations } from './subject-der.ts';

/** Subject that a certificate is requested for. */
export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

export interface SignOptions {
  /** Usages as certificates.k8s.io spells them: `client auth`. */
  readonly usages: readonly string[];
  readonly seconds: number;
  readonly nowMs: number;
}

/**
 * A certificate request, read once: admission and controllers check `subject`, and `sign` issues a certificate for exactly
 * that. The certificate has the subject, the public key and the alternative names of the request byte for byte.
 *
 *     request ──► draft certificate with the request's bytes ──► the reader that authenticates clients ──► subject
 *        └──────► certificate with the same bytes, signed ──────► the same reader ──► the same subject, or an error
 */
export class CertificateRequest {
  readonly subject: RequestedSubject;
  readonly #request: Pkcs10CertificateRequest;
  readonly #alternativeNames: readonly SubjectAlternativeNameExtension[];

  private constructor(
    request: Pkcs10CertificateRequest,
    alternativeNames: readonly SubjectAlternativeNameExtension[],
    subject: RequestedSubject,
  ) {
    this.#request = request;
    this.#alternativeNames = alternativeNames;
    this.subject = subject;
  }

  /** Rejects with RangeError when the text is not one request in PEM, is too large, or has ambiguous names. */
  static async read(pem: string): Promise<CertificateRequest> {
    try {
      const request = new Pkcs10CertificateRequest(derOf(pem));
      requireDer(request);
      requireKnownAttributes(request);
      const alternativeNames = readAlternativeNames(request);
      const draft = await X509CertificateGenerator.create({
        ...certificateFor(request, alternativeNames),
        signingAlgorithm: SIGNING_ALGORITHM,
        signature: new Uint8Array(64),
      });
      const subject = subjectOf(draft);
      requirePlainNames(request, subject);
      return new CertificateRequest(request, alternativeNames, subject);
    } catch (error) {
      const { message } = error as Error;
      throw new RangeError(`Cannot read a certificate request: ${message}`, { cause: error });
    }
  }

  /** Returns the certificate in PEM. Rejects with RangeError when the request is not signed with its own key. */
  async sign(authority: KeyPair, { usages, seconds, nowMs }: SignOptions): Promise<string> {
    if (!(await this.#request.verify())) {
      throw new RangeError('Cannot sign a certificate: its request has a bad signature');
    }
    const issuer = new X509Certificate(authority.certificate);
    const notAfter = new Date(Math.min(nowMs + seconds * 1000, issuer.notAfter.getTime()));
    const certificate = await X509CertificateGenerator.create({
      ...validUntil(notAfter, nowMs),
      ...certificateFor(this.#request, [...usageExtensions(usages), ...this.#alternativeNames]),
      issuer: issuer.subjectName,
      signingKey: await importKey({ PemConverter }, authority.privateKey),
      signingAlgorithm: SIGNING_ALGORITHM,
    });
    this.#requireSame(certificate);
    return `${certificate.toString('pem')}\n`;
  }

  #requireSame(certificate: X509Certificate): void {
    // They are adjacent in a certificate.
    const subjectAndKey = Buffer.concat([signedSubject(this.#request), Buffer.from(this.#request.publicKey.rawData)]);
    const isSame =
      Buffer.from(certificate.rawData).includes(subjectAndKey) && deepEqual(subjectOf(certificate), this.subject);
    if (!isSame) throw new RangeError('Cannot sign a certificate: its subject would differ from the request');
  }
}

export interface SigningAuthority {
  /** Called when a certificate is signed. */
  readonly authority: () => Promise<KeyPair>;
  readonly clock: Clock;
}

export interface SignableRequest {
  readonly subject: RequestedSubject;
  sign(options: Omit<SignOptions, 'nowMs'>): Promise<string>;
}

/** Reads a request in PEM for the controllers: returns its subject with a signer, or why it cannot be signed. */
export async function readForSigning(
  pem: string,
  { authority, clock }: SigningAuthority,
): Promise<SignableRequest | { readonly unreadable: string }> {
  try {
    const request = await CertificateRequest.read(pem);
    const sign = async (options: Omit<SignOptions, 'nowMs'>): Promise<string> =>
      await request.sign(await authority(), { ...options, nowMs: clock.now() });
    return { subject: request.subject, sign };
  } catch (error) {
    if (error instanceof RangeError) return { unreadable: error.message };
    throw error;
  }
}

function derOf(pem: string): Uint8Array {
  const blocks = pem.match(/-----BEGIN [^-]+-----/g) ?? [];
  const body = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE REQUEST-----/.exec(pem)?.[1];
  if (blocks.length !== 1 || body === undefined)
    throw new RangeError('it is not one PEM block of type CERTIFICATE REQUEST');
  const der = Buffer.from(body, 'base64');
  const problem = requestSizeProblem(der);
  if (problem !== undefined) throw new RangeError(`it ${problem}`);
  return der;
}

function certificateFor(request: Pkcs10CertificateRequest, extensions: readonly Extension[]) {
  return { subject: new Name(signedSubject(request)), publicKey: request.publicKey, extensions: [...extensions] };
}

/** Returns the request's subject in DER, with several organizations in one set, as kube-controller-manager signs them. */
function signedSubject({ subjectName }: Pkcs10CertificateRequest): Buffer {
  return joinOrganizations(Buffer.from(subjectName.toArrayBuffer()));
}

/** First bytes of the contents of every request. */
const VERSION = Buffer.from([0x02, 0x01, 0x00]);

/** Refuses a subject or a key that parsing and encoding changes: the certificate could not contain it unchanged. */
function requireDer(request: Pkcs10CertificateRequest): void {
  const { subjectName, publicKey } = request;
  const expected = Buffer.concat([VERSION, Buffer.from(subjectName.toArrayBuffer()), Buffer.from(publicKey.rawData)]);
  const found = contentsOf(contentsOf(Buffer.from(request.rawData))).subarray(0, expected.length);
  if (!found.equals(expected)) {
    throw new RangeError('its subject or public key is not in DER');
  }
}

/**
 * Attributes that Go's crypto/x509 keeps, and with it Kubernetes' signers, and two that Kubernetes ignores. Above all, no
 * request may have the attribute that authenticates as a uid.
 */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  'CN',
  'O',
  'OU',
  'C',
  'L',
  'ST',
  '2.5.4.5', // serialNumber
  '2.5.4.9', // street
  '2.5.4.17', // postalCode
  'E',
  'DC',
]);

function requireKnownAttributes({ subjectName }: Pkcs10CertificateRequest): void {
  for (const rdn of subjectName.toJSON()) {
    const other = Object.keys(rdn).find((type) => !ATTRIBUTES.has(type));
    if (other !== undefined) throw new RangeError(`its subject has the attribute ${other}, which no signer signs`);
  }
  if (subjectName.getField('CN').length > 1) throw new RangeError('its subject has several common names');
}

/** Control characters, surrogates and replacement characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\uFFFD]/u;

/** Refuses names that OpenSSL and the library decode differently. */
function requirePlainNames({ subjectName }: Pkcs10CertificateRequest, subject: RequestedSubject): void {
  const { commonName, organizations } = subject;
  const isAlike =
    (subjectName.getField('CN')[0] ?? '') === commonName &&
    deepEqual([...subjectName.getField('O')].sort(), [...organizations].sort());
  if (!isAlike) throw new RangeError('its common name or an organization can be read in several ways');
  if ([commonName, ...organizations].some((name) => UNPRINTABLE.test(name))) {
    throw new RangeError('its common name or an organization has control characters');
  }
}

/** Reads the user in a certificate as the API server does, and its alternative names. */
function subjectOf(certificate: X509Certificate): RequestedSubject {
  const { names, organizations } = readSubject(new NodeCertificate(Buffer.from(certificate.rawData)));
  const alternatives = certificate.getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
  const of = (wanted: string): string[] => alternatives.filter(({ type }) => type === wanted).map(({ value }) => value);
  return {
    commonName: names.at(-1) ?? '',
    organizations,
    dnsNames: of('dns'),
    ipAddresses: of('ip'),
    emailAddresses: of('email'),
    uris: of('url'),
  };
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Returns the extension with the bytes of the request's, or none. */
function readAlternativeNames(request: Pkcs10CertificateRequest): SubjectAlternativeNameExtension[] {
  const [given, ...more] = request.getExtensions(SUBJECT_ALTERNATIVE_NAME);
  if (more.length > 0 || request.getAttributes(EXTENSION_REQUEST).length > 1) {
    throw new RangeError('it has several lists of alternative names');
  }
  if (given === undefined) return [];
  const names = new SubjectAlternativeNameExtension(given.rawData).names.toJSON();
  const odd = names.find(({ type, value }) => !isPlainName(type, value));
  if (odd !== undefined) throw new RangeError(`it has an alternative name of type ${odd.type} that no signer signs`);
  // As in Go: the extension is critical when the subject is empty.
  const isCritical = request.subjectName.toJSON().length === 0;
  const written = new SubjectAlternativeNameExtension(names, isCritical);
  if (!Buffer.from(written.value).equals(Buffer.from(given.value))) {
    throw new RangeError('its alternative names can be read in several ways');
  }
  return [written];
}

function isPlainName(type: string, value: string): boolean {
  if (type === 'ip') return isIP(value) !== 0;
  if (type === 'dns') return /^[A-Za-z0-9*._-]+$/.test(value);
  return (type === 'email' || type === 'url') && /^[!-~]+$/.test(value);
}

const KEY_USAGES: ReadonlyMap<string, KeyUsageFlags> = new Map([
  ['digital signature', KeyUsageFlags.digitalSignature],
  ['signing', KeyUsageFlags.digitalSignature],
  ['key encipherment', KeyUsageFlags.keyEncipherment],
]);
const EXTENDED_USAGES: ReadonlyMap<string, ExtendedKeyUsage> = new Map([
  ['client auth', ExtendedKeyUsage.clientAuth],
  ['server auth', ExtendedKeyUsage.serverAuth],
]);

function usageExtensions(usages: readonly string[]): Extension[] {
  const flags = usages.reduce((sum, usage) => sum | (KEY_USAGES.get(usage) ?? 0), 0);
  const extended = usages.flatMap((usage) => EXTENDED_USAGES.get(usage) ?? []);
  return [
    new BasicConstraintsExtension(false, undefined, true),
    ...(flags === 0 ? [] : [new KeyUsagesExtension(flags, true)]),
    ...(extended.length === 0 ? [] : [new ExtendedKeyUsageExtension(extended)]),
  ];
}
