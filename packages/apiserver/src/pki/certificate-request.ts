import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { KeyPair } from './certificates.ts';
import { importKey, SIGNING_ALGORITHM, validUntil } from './certificates.ts';

/** Whom a certificate is asked for. */
export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/** Throws when the text is not a certificate request in PEM. */
export function readCertificateRequest(pem: string): RequestedSubject {
  const request = new Pkcs10CertificateRequest(pem);
  const name = request.subjectName;
  const names = alternativeNames(request);
  const of = (type: string): string[] => names.filter((item) => item.type === type).map(({ value }) => value);
  return {
    commonName: name.getField('CN').at(-1) ?? '',
    organizations: name.getField('O'),
    dnsNames: of('dns'),
    ipAddresses: of('ip'),
    emailAddresses: of('email'),
    uris: of('url'),
  };
}

export interface SignOptions {
  /** As certificates.k8s.io spells them: `client auth`. */
  readonly usages: readonly string[];
  readonly seconds: number;
  readonly nowMs: number;
}

/** The certificate that is asked for, signed by the authority, in PEM. Throws when the request is not its key's own. */
export async function signCertificateRequest(authority: KeyPair, pem: string, options: SignOptions): Promise<string> {
  const request = new Pkcs10CertificateRequest(pem);
  if (!(await request.verify())) throw new RangeError('Cannot sign a certificate: its request has a bad signature');
  const { commonName, organizations, dnsNames, ipAddresses } = readCertificateRequest(pem);
  const issuer = new X509Certificate(authority.certificate);
  const notAfter = new Date(Math.min(options.nowMs + options.seconds * 1000, issuer.notAfter.getTime()));
  const hosts = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await X509CertificateGenerator.create({
    ...validUntil(notAfter, options.nowMs),
    subject: subjectOf(commonName, organizations),
    issuer: issuer.subjectName,
    publicKey: await request.publicKey.export(),
    signingKey: await importKey(authority.privateKey),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      ...usageExtensions(options.usages),
      ...(hosts.length > 0 ? [new SubjectAlternativeNameExtension(hosts)] : []),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Organizations are one name of several values, in order, as Go writes them. */
function subjectOf(commonName: string, organizations: readonly string[]): string {
  const sorted = [...organizations].sort();
  return new Name([...(sorted.length > 0 ? [{ O: sorted }] : []), { CN: [commonName] }]).toString();
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

function alternativeNames(
  request: Pkcs10CertificateRequest,
): readonly { readonly type: string; readonly value: string }[] {
  const extension = request.getExtension(SUBJECT_ALTERNATIVE_NAME);
  return extension === null ? [] : new SubjectAlternativeNameExtension(extension.rawData).names.toJSON();
}
