export type { IssueOptions, KeyPair } from './certificates.ts';
export { createAuthority, createServingCertificate, issueCertificate } from './certificates.ts';
export type { CertificateSubject } from './read-certificates.ts';
export {
  isDueForRenewal,
  isExpired,
  isForHost,
  isSignedBy,
  readCertificates,
  readSubject,
} from './read-certificates.ts';
