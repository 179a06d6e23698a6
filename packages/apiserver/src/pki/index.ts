export type { IssueOptions, KeyPair } from './certificates.ts';
export { createAuthority, issueCertificate } from './certificates.ts';
