export type { RequestedSubject, SignOptions } from './certificate-request.ts';
export { readCertificateRequest, signCertificateRequest } from './certificate-request.ts';
export type { IssueOptions, KeyPair } from './certificates.ts';
export { createAuthority, issueCertificate } from './certificates.ts';
