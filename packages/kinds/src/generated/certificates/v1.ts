import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

/** A request to a signer for a certificate. It must be approved before the signer issues the certificate. */
export interface CertificateSigningRequest extends KubernetesObject {
  /** The certificate that is wanted, and who wants it. It cannot change after creation. */
  spec: CertificateSigningRequestSpec;
  /** Whether the request was approved, and the certificate. */
  status?: CertificateSigningRequestStatus;
}
export const CertificateSigningRequest: ResourceType<CertificateSigningRequest, 'Cluster'> = /* @__PURE__ */ resourceType<CertificateSigningRequest, 'Cluster'>({ group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest', plural: 'certificatesigningrequests', scope: 'Cluster', shortNames: ['csr'] });

/** A decision about a request for a certificate. */
export interface CertificateSigningRequestCondition {
  /** When `status` last changed. The server sets it if it is absent. */
  lastTransitionTime?: Time | null;
  /** When the condition was last written. The server sets it if it is absent. */
  lastUpdateTime?: Time | null;
  /** An explanation of the decision for people. */
  message?: string;
  /** The reason of the decision as a CamelCase word. */
  reason?: string;
  /**
   * Whether the condition holds, one of `True`, `False` and `Unknown`. For `Approved`, `Denied` and `Failed`, only
   * `True` is allowed.
   */
  status: string;
  /** The type of the decision, such as `Approved`, `Denied` or `Failed`. */
  type: string;
}

/** A list of CertificateSigningRequests. */
export type CertificateSigningRequestList = KubernetesList<CertificateSigningRequest>;

/** The certificate that is wanted, and who wants it. */
export interface CertificateSigningRequestSpec {
  /** For how many seconds the certificate is to be valid, at least 600. The signer may decide otherwise. */
  expirationSeconds?: number;
  /** More about the user who made the request. The server sets it. */
  extra?: Record<string, string[]>;
  /** The groups of the user who made the request. The server sets them. */
  groups?: string[];
  /** The request itself, a block `CERTIFICATE REQUEST` in PEM and base64. */
  request: string;
  /** The name of the signer, a domain with a path such as `kubernetes.io/kube-apiserver-client`. */
  signerName: string;
  /** The UID of the user who made the request. The server sets it. */
  uid?: string;
  /** Says what the certificate's key is to be used for, such as `digital signature`, `client auth` and `server auth`. */
  usages?: ('any' | 'cert sign' | 'client auth' | 'code signing' | 'content commitment' | 'crl sign' | 'data encipherment' | 'decipher only' | 'digital signature' | 'email protection' | 'encipher only' | 'ipsec end system' | 'ipsec tunnel' | 'ipsec user' | 'key agreement' | 'key encipherment' | 'microsoft sgc' | 'netscape sgc' | 'ocsp signing' | 's/mime' | 'server auth' | 'signing' | 'timestamping')[];
  /** The name of the user who made the request. The server sets it. */
  username?: string;
}

/** Whether a request was approved, and the certificate. */
export interface CertificateSigningRequestStatus {
  /**
   * The certificate and its chain in PEM and base64. The signer sets it once, after the approval, and it does not
   * change.
   */
  certificate?: string;
  /**
   * The decisions about the request, of types `Approved`, `Denied` and `Failed`. Once there, `Approved` and `Denied`
   * stay, and they exclude each other.
   */
  conditions?: CertificateSigningRequestCondition[];
}
