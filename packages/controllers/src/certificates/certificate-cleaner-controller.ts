import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import type { Controller, Manager } from '@pintle/operator';

const HOUR_MS = 3_600_000;
/** Time that a request is kept after its decision, and without one. */
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;
const DECISIONS: ReadonlySet<string> = new Set(['Approved', 'Denied', 'Failed']);

/** Deletes certificate signing requests that were decided long ago or that were never decided. */
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
