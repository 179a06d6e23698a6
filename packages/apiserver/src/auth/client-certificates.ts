import { X509Certificate } from 'node:crypto';
import { type CertificateSubject, isSignedBy, readSubject } from '@pintle/pki';
import type { Peer } from '../request/exchange.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const MAX_AUTHORITIES = 64;

/** What a client's certificate says, or why it is not believed. */
export type CertificateVerdict = (CertificateSubject & { readonly fingerprint: string }) | { readonly refused: string };

export interface ExaminedCertificate {
  readonly verdict: CertificateVerdict;
  /** When it is valid together with an authority that signed it: one for each of these. */
  readonly periods: readonly Period[];
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export function isValidAt({ periods }: Pick<ExaminedCertificate, 'periods'>, nowMs: number): boolean {
  return periods.some(({ fromMs, toMs }) => nowMs >= fromMs && nowMs <= toMs);
}

export interface ClientAuthorities {
  /** In PEM. May become another text while the server runs; what was said by the old one is forgotten then. */
  readonly authorities: string;
}

/** Judges the certificates of connections: each is examined once, and again when the authorities change. */
export class PeerCertificates<T> {
  readonly #source: ClientAuthorities;
  readonly #judge: (examined: ExaminedCertificate) => T;
  #bundle: string;
  #authorities: readonly X509Certificate[];
  #known = new WeakMap<Peer, T>();

  /** Throws RangeError when there are no authorities to be read. */
  constructor(source: ClientAuthorities, judge: (examined: ExaminedCertificate) => T) {
    this.#source = source;
    this.#judge = judge;
    this.#bundle = source.authorities;
    this.#authorities = readAuthorities(this.#bundle);
  }

  /** `undefined` for a connection without a certificate. */
  of(peer: Peer): T | undefined {
    if (peer.certificate === undefined) return undefined;
    this.#follow();
    let known = this.#known.get(peer);
    if (known === undefined) {
      known = this.#judge(examineCertificate(peer.certificate, this.#authorities));
      this.#known.set(peer, known);
    }
    return known;
  }

  #follow(): void {
    const { authorities } = this.#source;
    if (authorities === this.#bundle) return;
    this.#authorities = readAuthorities(authorities);
    this.#bundle = authorities;
    this.#known = new WeakMap();
  }
}

/** Throws RangeError when there is no certificate in the bundle, or too many. */
export function readAuthorities(bundle: string): X509Certificate[] {
  const pems = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (pems.length === 0 || pems.length > MAX_AUTHORITIES) {
    throw new RangeError(`Cannot read certificate authorities: found ${pems.length} certificates`);
  }
  return pems.map((pem) => new X509Certificate(pem));
}

/** Everything about a certificate that does not change with time; the dates are for the caller to compare. */
function examineCertificate(der: Uint8Array, authorities: readonly X509Certificate[]): ExaminedCertificate {
  const certificate = new X509Certificate(der);
  const issuers = authorities.filter((authority) => isSignedBy(certificate, authority));
  if (issuers.length === 0) {
    return { verdict: { refused: 'x509: certificate signed by unknown authority' }, periods: [periodOf(certificate)] };
  }
  return { verdict: judge(certificate), periods: issuers.map((issuer) => periodOf(certificate, issuer)) };
}

/** While all of them are valid. */
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
