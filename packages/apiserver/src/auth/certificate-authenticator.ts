import { X509Certificate } from 'node:crypto';
import type { Clock } from '@pintle/async';
import type { ApiRequest, Peer } from '../http/exchange.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import { withAuthenticatedGroup } from './authenticator.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const MAX_CHAIN_CERTIFICATES = 16;

interface Verdict {
  readonly answer: Authentication;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/**
 * Client certificates signed by one of the given authorities: the common name is the user, each organization a group.
 * The signature is checked once per connection, the dates on every request.
 */
export class CertificateAuthenticator implements Authenticator {
  readonly #authorities: readonly X509Certificate[];
  readonly #clock: Clock;
  readonly #verdicts = new WeakMap<Peer, Verdict>();

  constructor(options: { readonly authorities: string; readonly clock: Clock }) {
    this.#authorities = splitPem(options.authorities).map((pem) => new X509Certificate(pem));
    this.#clock = options.clock;
  }

  authenticate(request: ApiRequest): Authentication | undefined {
    const { certificate } = request.peer;
    if (certificate === undefined) return undefined;
    let verdict = this.#verdicts.get(request.peer);
    if (verdict === undefined) {
      verdict = this.#examine(certificate);
      this.#verdicts.set(request.peer, verdict);
    }
    const now = this.#clock.now();
    if (now < verdict.validFromMs || now > verdict.validToMs) {
      return { refused: 'x509: certificate has expired or is not yet valid' };
    }
    return verdict.answer;
  }

  #examine(der: Uint8Array): Verdict {
    const certificate = new X509Certificate(der);
    const validFromMs = Date.parse(certificate.validFrom);
    const validToMs = Date.parse(certificate.validTo);
    const issuer = this.#authorities.find(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    );
    const refuse = (refused: string): Verdict => ({ answer: { refused }, validFromMs, validToMs });
    if (issuer === undefined) return refuse('x509: certificate signed by unknown authority');
    if (certificate.ca || !certificate.keyUsage?.includes(CLIENT_AUTH)) {
      return refuse('x509: certificate specifies an incompatible key usage');
    }
    const { CN: names, O: organizations } = certificate.toLegacyObject().subject as Record<string, string | string[]>;
    const username = [names ?? []].flat().at(-1);
    if (!username) return refuse('x509: certificate has no common name');
    const credentialId = `X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`;
    const user = withAuthenticatedGroup({
      username,
      groups: [organizations ?? []].flat(),
      extra: { 'authentication.kubernetes.io/credential-id': [credentialId] },
    });
    return { answer: { user, source: 'x509', credentialId }, validFromMs, validToMs };
  }
}

function splitPem(bundle: string): string[] {
  const pems = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (pems.length === 0 || pems.length > MAX_CHAIN_CERTIFICATES) {
    throw new RangeError(`Cannot read certificate authorities: found ${pems.length} certificates`);
  }
  return pems;
}
