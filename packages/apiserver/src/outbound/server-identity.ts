import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { isName } from './target.ts';
import { certificateProblem } from './transport-errors.ts';

const NAME = 'DNS:';
const ADDRESS = 'IP Address:';

/** Checks the alternative names of a certificate and ignores its common name, as Go does. */
export function checkIdentity(serverName: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname } = certificate;
  if (subjectaltname !== undefined && checkServerIdentity(serverName, certificate) === undefined) return undefined;
  return new Error(certificateProblem(describeMismatch(serverName, subjectaltname)));
}

function describeMismatch(serverName: string, alternatives: string | undefined): string {
  if (alternatives === undefined) return 'certificate relies on legacy Common Name field, use SANs instead';
  const kind = isName(serverName) ? NAME : ADDRESS;
  const known = alternatives.split(', ').filter((name) => name.startsWith(kind));
  if (known.length > 0) {
    return `certificate is valid for ${known.map((name) => name.slice(kind.length)).join(', ')}, not ${serverName}`;
  }
  return kind === NAME
    ? `certificate is not valid for any names, but wanted to match ${serverName}`
    : `cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`;
}
