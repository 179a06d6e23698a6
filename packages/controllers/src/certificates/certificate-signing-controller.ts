import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager } from '@pintle/operator';
import type { RequestedSubject } from './signers.ts';
import { refusalOf, SIGNERS } from './signers.ts';

const DEFAULT_SECONDS = 365 * 24 * 60 * 60;

export interface CertificateSigningOptions {
  /** Whom a request in PEM is for. */
  readonly readRequest: (pem: string) => Promise<RequestedSubject>;
  /** Only whoever has the authority's key can. Gives the certificate in PEM. */
  readonly signRequest: (
    pem: string,
    options: { readonly usages: readonly string[]; readonly seconds: number },
  ) => Promise<string>;
}

/** Signs what was approved, for the signers that every cluster has. */
export function addCertificateSigning(manager: Manager, options: CertificateSigningOptions): Controller {
  return manager
    .controller(CertificateSigningRequest, 'certificatesigningrequest-signing')
    .reconcile(async (request, { client }) => {
      if (!isWaiting(request)) return;
      const status = await outcomeOf(request, options);
      try {
        await client.update(CertificateSigningRequest, { ...request, status }, { subresource: 'status' });
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    });
}

function isWaiting({ spec, status }: CertificateSigningRequest): boolean {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const isDecided = has('Approved') && !has('Denied') && !has('Failed');
  return SIGNERS.has(spec.signerName) && isDecided && !status?.certificate;
}

async function outcomeOf(
  { spec, status }: CertificateSigningRequest,
  { readRequest, signRequest }: CertificateSigningOptions,
): Promise<NonNullable<CertificateSigningRequest['status']>> {
  const pem = Buffer.from(spec.request, 'base64').toString();
  const usages = spec.usages ?? [];
  const refusal = refusalOf(spec.signerName, usages, await readRequest(pem));
  if (refusal !== undefined) {
    const failed = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: refusal };
    return { ...status, conditions: [...(status?.conditions ?? []), failed] };
  }
  const seconds = Math.min(spec.expirationSeconds ?? DEFAULT_SECONDS, DEFAULT_SECONDS);
  const certificate = await signRequest(pem, { usages, seconds });
  return { ...status, certificate: Buffer.from(certificate).toString('base64') };
}
