import type { CachedClient } from '@pintle/client';
import { SubjectAccessReview } from '@pintle/kinds/authorization/v1';
import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import { ignoring, isConflict, isNotFound } from '@pintle/machinery/errors';
import type { Controller, Manager } from '@pintle/operator';
import type { ReadRequest } from './signers.ts';
import { refusalOf } from './signers.ts';

const KUBELET_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

interface CertificateApprovingOptions {
  readonly readRequest: ReadRequest;
}

/** Approves client certificates of kubelets when a SubjectAccessReview allows the requester to ask for them. */
export function addCertificateApproving(manager: Manager, { readRequest }: CertificateApprovingOptions): Controller {
  return manager
    .controller(CertificateSigningRequest, 'certificatesigningrequest-approving')
    .reconcile(async (request, { client }) => {
      const { signerName, usages = [] } = request.spec;
      if (signerName !== KUBELET_SIGNER || request.status?.conditions?.length) return;
      const read = await readRequest(Buffer.from(request.spec.request, 'base64').toString());
      if ('unreadable' in read) return;
      const { subject } = read;
      if (refusalOf(signerName, usages, subject) !== undefined) return;
      const isSelf = subject.commonName === request.spec.username;
      if (!(await isAllowed(client, request, isSelf ? 'selfnodeclient' : 'nodeclient'))) return;
      const whichCertificate = isSelf ? 'self kubelet client' : 'kubelet client';
      await approve(client, request, `Auto approving ${whichCertificate} certificate after SubjectAccessReview.`);
    });
}

async function isAllowed(
  client: CachedClient,
  { spec }: CertificateSigningRequest,
  subresource: string,
): Promise<boolean> {
  const { username = '', uid, groups, extra } = spec;
  const resourceAttributes = {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    verb: 'create',
    subresource,
    version: '*',
  };
  const subject = { user: username, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
  const review = await client.live.create(SubjectAccessReview, {
    metadata: {},
    spec: { ...subject, resourceAttributes },
  });
  return review.status?.allowed === true;
}

async function approve(client: CachedClient, request: CertificateSigningRequest, message: string): Promise<void> {
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
  const status = { ...request.status, conditions: [approved] };
  await client
    .update(CertificateSigningRequest, { ...request, status }, { subresource: 'approval' })
    .catch(ignoring(isConflict, isNotFound));
}
