import { X509Certificate } from 'node:crypto';
import type { Clock } from '@pintle/async';
import type { CertificateSubject } from '@pintle/pki';
import { isSignedBy, readSubject } from '@pintle/pki';
import type { ApiRequest, Peer } from '../request/exchange.ts';
import { decodePercent } from '../request/request-info.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import { withAuthenticatedGroup } from './authenticator.ts';

interface CertificateOptions {
  /** Authorities of client certificates, in PEM. */
  readonly authorities: string;
  readonly clock: Clock;
  /** SHA-256 fingerprints of revoked certificates, in hexadecimal without colons. */
  readonly revoked?: Iterable<string>;
}

interface Known extends Pick<ExaminedCertificate, 'periods'> {
  readonly result: Authentication;
}

/**
 * Authenticates client certificates of the given authorities: the common name is the user, each organization a group. Checks
 * the signature once per connection, and the dates on every request.
 */
export class CertificateAuthenticator implements Authenticator {
  readonly #certificates: PeerCertificates<Known>;
  readonly #clock: Clock;
  readonly #revoked: ReadonlySet<string>;

  constructor(options: CertificateOptions) {
    this.#certificates = new PeerCertificates(options.authorities, ({ verdict, periods }) => ({
      periods,
      result: this.#isRevoked(verdict) ? REVOKED : authenticationOf(verdict),
    }));
    this.#clock = options.clock;
    this.#revoked = new Set(options.revoked);
  }

  authenticate(request: ApiRequest): Authentication | undefined {
    const known = this.#certificates.of(request.peer);
    if (known === undefined) return undefined;
    if (!isValidAt(known, this.#clock.now())) {
      return { refused: 'x509: certificate has expired or is not yet valid' };
    }
    return known.result;
  }

  /** Replaces the authorities, also for open connections. Throws RangeError when they cannot be read. */
  setAuthorities(bundle: string): void {
    this.#certificates.setAuthorities(bundle);
  }

  #isRevoked(verdict: CertificateVerdict): boolean {
    return 'fingerprint' in verdict && this.#revoked.has(verdict.fingerprint);
  }
}

const REVOKED: Authentication = { refused: 'x509: certificate is revoked' };

function authenticationOf(verdict: CertificateVerdict): Authentication {
  if ('refused' in verdict) return verdict;
  const username = verdict.names.at(-1);
  if (!username) return { refused: 'x509: certificate has no common name' };
  const [uid, ...more] = verdict.uids;
  if (uid === '' || more.length > 0) return { refused: 'x509: certificate has no uid or several' };
  const credentialId = `X509SHA256=${verdict.fingerprint}`;
  const user = withAuthenticatedGroup({
    username,
    ...(uid !== undefined && { uid }),
    groups: verdict.organizations,
    extra: { 'authentication.kubernetes.io/credential-id': [credentialId] },
  });
  return { user, source: 'x509', credentialId };
}

/** Trust in proxies that have authenticated the user and name it in headers. */
export interface RequestHeaderOptions {
  /** Authorities that sign the certificates of such proxies, in PEM. */
  readonly authorities: string;
  /** Common names of their certificates. Empty allows any name. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Authenticates by the headers of a proxy, when it has a certificate of the given authorities. */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #options: RequestHeaderOptions;
  readonly #certificates: PeerCertificates<ExaminedCertificate>;
  readonly #clock: Clock;

  constructor(options: RequestHeaderOptions, clock: Clock) {
    this.#options = lowerCased(options);
    this.#certificates = new PeerCertificates(options.authorities, (examined) => examined);
    this.#clock = clock;
  }

  authenticate(request: ApiRequest): Authentication | undefined {
    const username = this.#first(request, this.#options.usernameHeaders);
    if (username === '' || !this.#isProxy(request.peer)) return undefined;
    const uid = this.#first(request, this.#options.uidHeaders);
    const extra = this.#extraOf(request);
    const user = withAuthenticatedGroup({
      username,
      groups: this.#options.groupHeaders
        .flatMap((name) => valuesOf(request.headers[name]))
        .filter((group) => group !== ''),
      ...(uid !== '' && { uid }),
      ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
    });
    return { user, source: 'requestheader' };
  }

  #isProxy(peer: Peer): boolean {
    const known = this.#certificates.of(peer);
    if (known === undefined) return false;
    const { verdict } = known;
    if ('refused' in verdict || !isValidAt(known, this.#clock.now())) return false;
    const { allowedNames } = this.#options;
    return allowedNames.length === 0 || allowedNames.includes(verdict.names.at(-1) ?? '');
  }

  #first(request: ApiRequest, names: readonly string[]): string {
    for (const name of names) {
      const value = valuesOf(request.headers[name])[0];
      if (value) return value;
    }
    return '';
  }

  #extraOf(request: ApiRequest): Map<string, string[]> {
    const extra = new Map<string, string[]>();
    for (const name of Object.keys(request.headers)) {
      const prefix = this.#options.extraPrefixes.find((start) => name.startsWith(start));
      if (prefix === undefined) continue;
      const key = unescapeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(request.headers[name])]);
    }
    return extra;
  }
}

/** Converts the names of headers to lower case, as in requests. */
function lowerCased(options: RequestHeaderOptions): RequestHeaderOptions {
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    ...options,
    usernameHeaders: lower(options.usernameHeaders),
    uidHeaders: lower(options.uidHeaders),
    groupHeaders: lower(options.groupHeaders),
    extraPrefixes: lower(options.extraPrefixes),
  };
}

/** Returns a test for headers that identify a user, which authentication removes. */
export function identityHeaders(options: RequestHeaderOptions | undefined): (name: string) => boolean {
  const { usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraPrefixes = [] } = options ?? {};
  const names = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()));
  const prefixes = ['x-remote-', ...extraPrefixes.map((prefix) => prefix.toLowerCase())];
  return (name) => name === 'authorization' || names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Returns all values of a header. */
export function valuesOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}

/** Decodes the percent-encoding of a key in a header name. */
export function unescapeKey(text: string): string {
  return decodePercent(text) ?? text;
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const MAX_AUTHORITIES = 64;

/** Subject of a client's certificate, or why the certificate is refused. */
export type CertificateVerdict = (CertificateSubject & { readonly fingerprint: string }) | { readonly refused: string };

export interface ExaminedCertificate {
  readonly verdict: CertificateVerdict;
  /** Periods in which both the certificate and an authority that signed it are valid, one for each authority. */
  readonly periods: readonly Period[];
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export function isValidAt({ periods }: Pick<ExaminedCertificate, 'periods'>, nowMs: number): boolean {
  return periods.some(({ fromMs, toMs }) => nowMs >= fromMs && nowMs <= toMs);
}

/** Verifies the certificates of connections: once each, and again when the authorities change. */
class PeerCertificates<T> {
  readonly #judge: (examined: ExaminedCertificate) => T;
  #authorities: readonly X509Certificate[];
  #known = new WeakMap<Peer, T>();

  /** Throws RangeError when the authorities cannot be read. */
  constructor(authorities: string, judge: (examined: ExaminedCertificate) => T) {
    this.#judge = judge;
    this.#authorities = readAuthorities(authorities);
  }

  /** Discards the results for the former authorities. */
  setAuthorities(bundle: string): void {
    this.#authorities = readAuthorities(bundle);
    this.#known = new WeakMap();
  }

  /** Returns the result for a connection; `undefined` without a certificate. */
  of(peer: Peer): T | undefined {
    if (peer.certificate === undefined) return undefined;
    let known = this.#known.get(peer);
    if (known === undefined) {
      known = this.#judge(examineCertificate(peer.certificate, this.#authorities));
      this.#known.set(peer, known);
    }
    return known;
  }
}

/** Throws RangeError when the bundle has no certificate, or too many. */
export function readAuthorities(bundle: string): X509Certificate[] {
  const pems = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (pems.length === 0 || pems.length > MAX_AUTHORITIES) {
    throw new RangeError(`Cannot read certificate authorities: found ${pems.length} certificates`);
  }
  return pems.map((pem) => new X509Certificate(pem));
}

/** Verifies a certificate, except for its dates, which the caller compares. */
function examineCertificate(der: Uint8Array, authorities: readonly X509Certificate[]): ExaminedCertificate {
  const certificate = new X509Certificate(der);
  const issuers = authorities.filter((authority) => isSignedBy(certificate, authority));
  if (issuers.length === 0) {
    return { verdict: { refused: 'x509: certificate signed by unknown authority' }, periods: [periodOf(certificate)] };
  }
  return { verdict: judge(certificate), periods: issuers.map((issuer) => periodOf(certificate, issuer)) };
}

/** Returns the period in which all of them are valid. */
function periodOf(...certificates: readonly X509Certificate[]): Period {
  return {
    fromMs: Math.max(...certificates.map(({ validFrom }) => Date.parse(validFrom))),
    toMs: Math.min(...certificates.map(({ validTo }) => Date.parse(validTo))),
  };
}

function judge(certificate: X509Certificate): CertificateVerdict {
  if (certificate.ca || !certificate.keyUsage?.includes(CLIENT_AUTH)) {
    return { refused: 'x509: certificate specifies an incompatible key usage' };
  }
  return {
    ...readSubject(certificate),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}
