/** Subject and alternative names of a requested certificate. */
export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** A certificate request, parsed once. `sign` puts exactly `subject` into the certificate. */
interface CertificateRequest {
  readonly subject: RequestedSubject;
  /** Resolves with the certificate in PEM. Needs the key of the certificate authority. */
  sign(options: { readonly usages: readonly string[]; readonly seconds: number }): Promise<string>;
}

/** A certificate request that cannot be parsed; `unreadable` is the reason. */
interface UnreadableRequest {
  readonly unreadable: string;
}

/** Parses a request in PEM. Approver and signer use the same function. */
export type ReadRequest = (pem: string) => Promise<CertificateRequest | UnreadableRequest>;

interface Signer {
  /** Required key usage. Digital signature and key encipherment are allowed too. */
  readonly requiredUsage: string;
  readonly isNode: boolean;
  readonly takesHosts: boolean;
}

const COMMON_USAGES: ReadonlySet<string> = new Set(['digital signature', 'key encipherment']);

/** The signers that every cluster has. */
export const SIGNERS: ReadonlyMap<string, Signer> = new Map([
  ['kubernetes.io/kube-apiserver-client', { requiredUsage: 'client auth', isNode: false, takesHosts: true }],
  ['kubernetes.io/kube-apiserver-client-kubelet', { requiredUsage: 'client auth', isNode: true, takesHosts: false }],
  ['kubernetes.io/kubelet-serving', { requiredUsage: 'server auth', isNode: true, takesHosts: true }],
]);

/** Returns why the signer does not sign an approved request; `undefined` when it does. */
export function refusalOf(
  signerName: string,
  usages: readonly string[],
  subject: RequestedSubject,
): string | undefined {
  const signer = SIGNERS.get(signerName);
  if (signer === undefined) return `there is no signer ${JSON.stringify(signerName)}`;
  return signer.isNode ? refusalOfNode(signer, usages, subject) : refusalOfClient(signer, usages);
}

function refusalOfClient({ requiredUsage }: Signer, usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => usage !== requiredUsage && !COMMON_USAGES.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes(requiredUsage) ? undefined : `missing required usage for client certificate: ${requiredUsage}`;
}

function refusalOfNode(signer: Signer, usages: readonly string[], subject: RequestedSubject): string | undefined {
  const { commonName, organizations } = subject;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes';
  }
  const isNamed = commonName.startsWith('system:node:');
  const [ofName, ofUse] = [
    isNamed ? undefined : 'subject common name does not begin with system:node:',
    hasNodeUsages(signer.requiredUsage, usages)
      ? undefined
      : `usages did not match [${usagesOfNode(signer.requiredUsage).join(' ')}]`,
  ];
  return refusalOfNames(signer, subject) ?? (signer.takesHosts ? (ofUse ?? ofName) : (ofName ?? ofUse));
}

/** Requires DNS or IP names of servers, forbids them for clients, and forbids names of other kinds. */
function refusalOfNames({ takesHosts }: Signer, subject: RequestedSubject): string | undefined {
  const { dnsNames, ipAddresses, emailAddresses, uris } = subject;
  if (takesHosts && dnsNames.length === 0 && ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (!takesHosts && dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (!takesHosts && ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;
}

/** Ignores key encipherment, which only some key types support. */
function hasNodeUsages(requiredUsage: string, usages: readonly string[]): boolean {
  const given = [...new Set(usages)].filter((usage) => usage !== 'key encipherment').sort();
  return given.join() === [requiredUsage, 'digital signature'].sort().join();
}

function usagesOfNode(requiredUsage: string): string[] {
  return [requiredUsage, ...COMMON_USAGES].sort();
}
