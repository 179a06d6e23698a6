import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager } from '@pintle/operator';
import type { ReadRequest } from './signers.ts';
import { refusalOf, SIGNERS } from './signers.ts';

type Status = NonNullable<CertificateSigningRequest['status']>;

const DEFAULT_SECONDS = 365 * 24 * 60 * 60;

export interface CertificateSigningOptions {
  readonly readRequest: ReadRequest;
}

/** Signs approved requests of the signers that every cluster has. */
export function addCertificateSigning(manager: Manager, options: CertificateSigningOptions): Controller {
  return manager
    .controller(CertificateSigningRequest, 'certificatesigningrequest-signing')
    .reconcile(async (request, { client }) => {
      if (!isWaiting(request)) return;
      const status = await signedStatus(request, options);
      await client
        .update(CertificateSigningRequest, { ...request, status }, { subresource: 'status' })
        .catch(ignoring(isConflict, isNotFound));
    });
}

function isWaiting({ spec, status }: CertificateSigningRequest): boolean {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const isDecided = has('Approved') && !has('Denied') && !has('Failed');
  return SIGNERS.has(spec.signerName) && isDecided && !status?.certificate;
}

async function signedStatus(
  { spec, status }: CertificateSigningRequest,
  { readRequest }: CertificateSigningOptions,
): Promise<Status> {
  const pem = Buffer.from(spec.request, 'base64').toString();
  const usages = spec.usages ?? [];
  const request = await readRequest(pem);
  if ('unreadable' in request) return withFailure(status, request.unreadable);
  const refusal = refusalOf(spec.signerName, usages, request.subject);
  if (refusal !== undefined) return withFailure(status, refusal);
  const seconds = Math.min(spec.expirationSeconds ?? DEFAULT_SECONDS, DEFAULT_SECONDS);
  const certificate = await request.sign({ usages, seconds });
  return { ...status, certificate: Buffer.from(certificate).toString('base64') };
}

function withFailure(status: Status | undefined, message: string): Status {
  const failed = { type: 'Failed', status: 'True' as const, reason: 'SignerValidationFailure', message };
  return { ...status, conditions: [...(status?.conditions ?? []), failed] };
}
