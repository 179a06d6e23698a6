import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import type { Controller, Manager } from '@pintle/operator';

const HOUR_MS = 3_600_000;
/** How long a request stays when it was decided, and when nobody ever did. */
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;
const DECISIONS: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);

/** Removes requests for certificates that are of no more use: whoever asked has the answer, or will not come back for it. */
export function addCertificateCleaner(manager: Manager): Controller {
  return manager
    .controller(CertificateSigningRequest, 'certificatesigningrequest-cleaner')
    .reconcile(async (request, { client, clock }) => {
      const leftMs = expiresAtMs(request) - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await client.delete(CertificateSigningRequest, request);
      return undefined;
    });
}

function expiresAtMs({ metadata, status }: CertificateSigningRequest): number {
  const decided = status?.conditions?.find(({ type }) => DECISIONS.has(type));
  if (decided === undefined) return (Date.parse(metadata.creationTimestamp ?? '') || 0) + PENDING_MS;
  return (Date.parse(decided.lastUpdateTime ?? decided.lastTransitionTime ?? '') || 0) + DECIDED_MS;
}
