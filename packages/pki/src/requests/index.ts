export type { RequestedSubject, SignableRequest, SigningAuthority, SignOptions } from './certificate-request.ts';
export { CertificateRequest, readForSigning } from './certificate-request.ts';
