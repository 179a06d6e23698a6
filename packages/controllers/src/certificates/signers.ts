/** Whom a certificate is asked for. */
export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly hasOtherNames: boolean;
}

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
  const { needed, isNode, takesHosts } = signer;
  if (!usages.includes(needed)) return `usages did not contain the required usage ${JSON.stringify(needed)}`;
  const other = usages.find((usage) => usage !== needed && !ALWAYS_FINE.has(usage));
  if (other !== undefined) return `usages contained ${JSON.stringify(other)}, which this signer does not give`;
  return isNode ? refusalOfNode(subject, takesHosts) : undefined;
}

function refusalOfNode(subject: RequestedSubject, takesHosts: boolean): string | undefined {
  const { commonName, organizations, dnsNames, ipAddresses, hasOtherNames } = subject;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes';
  }
  if (!commonName.startsWith('system:node:') || commonName === 'system:node:') {
    return 'subject common name does not begin with system:node:';
  }
  const hasHosts = dnsNames.length > 0 || ipAddresses.length > 0;
  if (hasOtherNames || (hasHosts && !takesHosts)) return 'subject alternative names are not allowed';
  return takesHosts && !hasHosts ? 'at least one DNS or IP subjectAltName is required' : undefined;
}
