import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { isAllowed } from '@pintle/apiserver/auth';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import type { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import { forbiddenError, quote } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';

const GROUP = 'certificates.k8s.io';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** Plugins that check who may approve and sign certificates, and which subjects may be requested. */
export const certificatePlugins: readonly AdmissionPlugin[] = [
  {
    name: 'CertificateApproval',
    handles: (request) => isUpdateOf(request, 'approval'),
    validate: (request) => checkSigner(request, 'approve'),
  },
  {
    name: 'CertificateSigning',
    handles: (request) => isUpdateOf(request, 'status') && hasNewResult(request),
    validate: (request) => checkSigner(request, 'sign'),
  },
  {
    name: 'CertificateSubjectRestriction',
    handles: ({ context, kind, operation }) =>
      kind.group === GROUP && isRequest(kind.kind) && operation === 'CREATE' && context.info.subresource === '',
    validate: checkSubject,
  },
];

function isUpdateOf({ context, kind, operation }: AdmissionRequest, subresource: string): boolean {
  return (
    kind.group === GROUP && isRequest(kind.kind) && operation === 'UPDATE' && context.info.subresource === subresource
  );
}

function isRequest(kind: string): boolean {
  return kind === 'CertificateSigningRequest';
}

function hasNewResult({ object, oldObject }: AdmissionRequest): boolean {
  const result = (request: unknown): unknown => {
    const { certificate, conditions = [] } = (request as CertificateSigningRequest).status ?? {};
    return [certificate ?? '', conditions];
  };
  return !deepEqual(result(object), result(oldObject));
}

/** Checks the permission on the signer: by its name, or by its domain and a star. */
async function checkSigner({ context, oldObject, name }: AdmissionRequest, verb: 'approve' | 'sign'): Promise<void> {
  const { signerName } = (oldObject as CertificateSigningRequest).spec;
  const [domain] = signerName.split('/');
  for (const signer of [signerName, `${domain}/*`]) {
    const permission = { verb, group: GROUP, version: '*', resource: 'signers', name: signer };
    if (await isAllowed(context.authorizer, context.user, permission)) return;
  }
  throw refusal(name, `user not permitted to ${verb} requests with signerName ${quote(signerName)}`);
}

/** Refuses client certificates for `system:masters`. */
async function checkSubject({ object, name }: AdmissionRequest): Promise<void> {
  const { signerName, request } = (object as CertificateSigningRequest).spec;
  if (signerName !== CLIENT_SIGNER) return;
  const organizations = await organizationsIn(name, Buffer.from(request, 'base64').toString());
  if (!organizations.includes('system:masters')) return;
  throw refusal(name, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
}

async function organizationsIn(name: string, pem: string): Promise<readonly string[]> {
  const { CertificateRequest } = await import('@pintle/pki/requests');
  try {
    return (await CertificateRequest.read(pem)).subject.organizations;
  } catch (error) {
    if (error instanceof RangeError) throw refusal(name, error.message);
    throw error;
  }
}

function refusal(name: string, why: string): Error {
  return forbiddenError({ group: GROUP, resource: 'certificatesigningrequests' }, name, why);
}
