/** Whom a certificate is asked for. */
export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** A request that was read once. What `subject` says is what `sign` puts into the certificate. */
interface CertificateRequest {
  readonly subject: RequestedSubject;
  /** Resolves with the certificate in PEM. Only whoever has the authority's key can make it. */
  sign(options: { readonly usages: readonly string[]; readonly seconds: number }): Promise<string>;
}

/** Why a request is signed by nobody. */
interface UnreadableRequest {
  readonly unreadable: string;
}

/** Reads a request in PEM; the same function for whoever approves and whoever signs. */
export type ReadRequest = (pem: string) => Promise<CertificateRequest | UnreadableRequest>;

interface Signer {
  readonly needed: string;
  /** Besides signatures and key encipherment, which every signer takes. */
  readonly isNode: boolean;
  readonly takesHosts: boolean;
}

const ALWAYS_FINE: ReadonlySet<string> = new Set(['digital signature', 'key encipherment']);

/** What each of the signers that every cluster has makes certificates for. */
export const SIGNERS: ReadonlyMap<string, Signer> = new Map([
  ['kubernetes.io/kube-apiserver-client', { needed: 'client auth', isNode: false, takesHosts: true }],
  ['kubernetes.io/kube-apiserver-client-kubelet', { needed: 'client auth', isNode: true, takesHosts: false }],
  ['kubernetes.io/kubelet-serving', { needed: 'server auth', isNode: true, takesHosts: true }],
]);

/** Why a signer does not sign a request that was approved; `undefined` when it does. */
export function refusalOf(
  signerName: string,
  usages: readonly string[],
  subject: RequestedSubject,
): string | undefined {
  const signer = SIGNERS.get(signerName);
  if (signer === undefined) return `there is no signer ${JSON.stringify(signerName)}`;
  return signer.isNode ? refusalOfNode(signer, usages, subject) : refusalOfClient(signer, usages);
}

function refusalOfClient({ needed }: Signer, usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => usage !== needed && !ALWAYS_FINE.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes(needed) ? undefined : `missing required usage for client certificate: ${needed}`;
}

function refusalOfNode(signer: Signer, usages: readonly string[], subject: RequestedSubject): string | undefined {
  const { commonName, organizations } = subject;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes';
  }
  const isNamed = commonName.startsWith('system:node:');
  const [ofName, ofUse] = [
    isNamed ? undefined : 'subject common name does not begin with system:node:',
    isNodeUse(signer.needed, usages) ? undefined : `usages did not match [${usagesOfNode(signer.needed).join(' ')}]`,
  ];
  return refusalOfNames(signer, subject) ?? (signer.takesHosts ? (ofUse ?? ofName) : (ofName ?? ofUse));
}

/** Servers have hosts and clients have none; nobody has names of other sorts. */
function refusalOfNames({ takesHosts }: Signer, subject: RequestedSubject): string | undefined {
  const { dnsNames, ipAddresses, emailAddresses, uris } = subject;
  if (takesHosts && dnsNames.length === 0 && ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (!takesHosts && dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (!takesHosts && ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined;
}

/** Key encipherment is for keys that can do it. */
function isNodeUse(needed: string, usages: readonly string[]): boolean {
  const given = [...new Set(usages)].filter((usage) => usage !== 'key encipherment').sort();
  return given.join() === [needed, 'digital signature'].sort().join();
}

function usagesOfNode(needed: string): string[] {
  return [needed, ...ALWAYS_FINE].sort();
}
