export type { ApiServerOptions, Delegate, ErrorObserver, ServerPart } from './api-server.ts';
export { ApiServer, authenticatorsOf } from './api-server.ts';
export type {
  AuditEvent,
  AuditOptions,
  AuditPolicy,
  AuditSink,
  ClosableSink,
  FileSinkOptions,
  SendEvents,
  WebhookSinkOptions,
} from './audit/index.ts';
export { DEFAULT_AUDIT_POLICY, FileSink, readAuditPolicy, teeSink, WebhookSink } from './audit/index.ts';
export type { Authentication, Authenticator } from './auth/authenticator.ts';
export { AuthenticatorChain } from './auth/authenticator.ts';
export type { AnonymousAccess, Authorizer, Decision } from './auth/authorizer.ts';
export type { RequestHeaderOptions } from './auth/certificate-authenticator.ts';
export { CertificateAuthenticator, readAuthorities } from './auth/certificate-authenticator.ts';
export type { OidcOptions } from './auth/oidc/oidc-authenticator.ts';
export { OidcAuthenticator } from './auth/oidc/oidc-authenticator.ts';
export { parseTokenFile, TokenAuthenticator } from './auth/token-authenticator.ts';
export type { DividedLimits } from './divide-limits.ts';
export { divideLimits } from './divide-limits.ts';
export type { FlowOptions } from './flow/flow-control.ts';
export type { Http2Choice, HttpListener, ListenOptions, PrivateListenOptions } from './http/http-listener.ts';
export { HttpsListener } from './http/https-listener.ts';
export type { ServerLimits, TlsSettings } from './http/https-server.ts';
export type { InProcessRequest, InProcessTransport } from './http/in-process.ts';
export { inProcess } from './http/in-process.ts';
export type { OpenWatch, OtherRequests, RequestRecord } from './metrics/request-log.ts';
export { RequestLog } from './metrics/request-log.ts';
export type { ClientCertificate, ServiceAddress, ServiceResolver } from './outbound/index.ts';
export type { PathHandler } from './paths/paths.ts';
export type { ApiRequest, ApiResponse, MessageSocket, Peer } from './request/exchange.ts';
export type { UserInfo } from './request/user-info.ts';
export type { SecretKey, SecretKeys } from './storage/secrets/index.ts';
export {
  checkSecretKeys,
  createSecretKey,
  hasSealedSecrets,
  parseSecretKeys,
  printSecretKeys,
  resealSecrets,
  SecretSeal,
  writeKeyCheck,
} from './storage/secrets/index.ts';
export { VERSION } from './version.ts';
export type { RawWebhookResponse, WebhookInterceptor, WebhookRequest } from './webhook/index.ts';
