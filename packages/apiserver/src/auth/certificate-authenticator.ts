import type { Clock } from '@pintle/async';
import type { ApiRequest } from '../request/exchange.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import { withAuthenticatedGroup } from './authenticator.ts';
import type { CertificateVerdict, ClientAuthorities, ExaminedCertificate } from './client-certificates.ts';
import { isValidAt, PeerCertificates } from './client-certificates.ts';

interface CertificateOptions extends ClientAuthorities {
  readonly clock: Clock;
  /** SHA-256 fingerprints, in hexadecimal without colons, of certificates that count no longer. */
  readonly revoked?: Iterable<string>;
}

interface Known extends Pick<ExaminedCertificate, 'periods'> {
  readonly answer: Authentication;
}

/**
 * Client certificates signed by one of the given authorities: the common name is the user, each organization a group.
 * The signature is checked once per connection, the dates on every request.
 */
export class CertificateAuthenticator implements Authenticator {
  readonly #certificates: PeerCertificates<Known>;
  readonly #clock: Clock;
  readonly #revoked: ReadonlySet<string>;

  constructor(options: CertificateOptions) {
    this.#certificates = new PeerCertificates(options, ({ verdict, periods }) => ({
      periods,
      answer: this.#isRevoked(verdict) ? REVOKED : answerFor(verdict),
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
    return known.answer;
  }

  #isRevoked(verdict: CertificateVerdict): boolean {
    return 'fingerprint' in verdict && this.#revoked.has(verdict.fingerprint);
  }
}

const REVOKED: Authentication = { refused: 'x509: certificate is revoked' };

function answerFor(verdict: CertificateVerdict): Authentication {
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
