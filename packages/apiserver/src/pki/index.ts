export type { RequestedSubject, SignableRequest, SigningAuthority, SignOptions } from './certificate-request.ts';
export { CertificateRequest, readForSigning } from './certificate-request.ts';
export type { IssueOptions, KeyPair } from './certificates.ts';
export { createAuthority, issueCertificate } from './certificates.ts';
