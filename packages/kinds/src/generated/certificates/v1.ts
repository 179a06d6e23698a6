import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Time } from '../meta/v1.ts';

export interface CertificateSigningRequest extends KubernetesObject {
  spec: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}
export const CertificateSigningRequest: ResourceType<CertificateSigningRequest, 'Cluster'> = /* @__PURE__ */ resourceType<CertificateSigningRequest, 'Cluster'>({ group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest', plural: 'certificatesigningrequests', scope: 'Cluster', shortNames: ['csr'] });

export interface CertificateSigningRequestCondition {
  lastTransitionTime?: Time | null;
  lastUpdateTime?: Time | null;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

export type CertificateSigningRequestList = KubernetesList<CertificateSigningRequest>;

export interface CertificateSigningRequestSpec {
  expirationSeconds?: number;
  extra?: Record<string, string[]>;
  groups?: string[];
  request: string;
  signerName: string;
  uid?: string;
  usages?: ('any' | 'cert sign' | 'client auth' | 'code signing' | 'content commitment' | 'crl sign' | 'data encipherment' | 'decipher only' | 'digital signature' | 'email protection' | 'encipher only' | 'ipsec end system' | 'ipsec tunnel' | 'ipsec user' | 'key agreement' | 'key encipherment' | 'microsoft sgc' | 'netscape sgc' | 'ocsp signing' | 's/mime' | 'server auth' | 'signing' | 'timestamping')[];
  username?: string;
}

export interface CertificateSigningRequestStatus {
  certificate?: string;
  conditions?: CertificateSigningRequestCondition[];
}
