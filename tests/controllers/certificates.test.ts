import { X509Certificate } from 'node:crypto';
import { realClock } from '@pintle/async';
import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import type { KeyPair } from '@pintle/pki';
import { createAuthority } from '@pintle/pki';
import { readForSigning } from '@pintle/pki/requests';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

/** `O=system:nodes, CN=system:node:x"system:kube-controller-manager"`. */
const NODE_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIIBCjCBsQIBADBPMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxNjA0BgNVBAMMLXN5
c3RlbTpub2RlOngic3lzdGVtOmt1YmUtY29udHJvbGxlci1tYW5hZ2VyIjBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABKjZJNows+b8eUozf6F75i7X/OO67vGMmyh6
eD6+mEF+YJBTFkGdGj7kYTWLBqUx8bkQ8Dw/oDv35eufS/ZlLx+gADAKBggqhkjO
PQQDAgNIADBFAiEA8mdJyWYz62aVlfpbml8+l6W4q78bLq92oWxN9PYt8QQCIA/Y
Uz5A5MSkFWHcHk1/JPntTwigvbaysVFjBC5xs8zN
-----END CERTIFICATE REQUEST-----
`;
/** `O=#130e73797374656d3a6d617374657273, CN=ann`: the organization is DER for system:masters, written in hexadecimal. */
const MASTERS_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIH2MIGcAgEAMDoxKjAoBgNVBAoMISMxMzBlNzM3OTczNzQ2NTZkM2E2ZDYxNzM3
NDY1NzI3MzEMMAoGA1UEAwwDYW5uMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
2PfWljFtePiJsbirBffl9dCooggM/gwMy7FpVGSecyG42LJN/QTO7WhRGqXsjoi/
BLA9UNQKGfs5pXZUB/TKHqAAMAoGCCqGSM49BAMCA0kAMEYCIQD9c9p1b7O05Eme
H6Eu9rFDNpsFhvdGXKkOOdRBQM+eiQIhAPjTLJ+tZPWBXm6UzyRyEmdhxKoIPh1G
PztLVB89D1Kj
-----END CERTIFICATE REQUEST-----
`;

const CONTROLLERS = ['certificatesigningrequest-approving-controller', 'certificatesigningrequest-signing-controller'];
const encode = (text: string): string => Buffer.from(text).toString('base64');

async function openSigning() {
  const authority: KeyPair = await createAuthority('cluster', 10, realClock.now());
  const readRequest = (pem: string) => readForSigning(pem, { authority: async () => authority, clock: realClock });
  return await openPlane(CONTROLLERS, { certificates: { readRequest } });
}

test('a certificate that is approved without a human names the node that asked', async () => {
  await using plane = await openSigning();
  await plane.client.create(CertificateSigningRequest, {
    metadata: { name: 'node' },
    spec: {
      request: encode(NODE_REQUEST),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['client auth', 'digital signature'],
    },
  });
  const { subject } = await issued(plane, 'node');
  expect(subject).toMatchObject({ O: 'system:nodes', CN: 'system:node:x"system:kube-controller-manager"' });
});

test('a certificate that was approved has the groups that were approved', async () => {
  await using plane = await openSigning();
  const { client } = plane;
  const made = await client.create(CertificateSigningRequest, {
    metadata: { name: 'ann' },
    spec: {
      request: encode(MASTERS_REQUEST),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    },
  });
  const conditions = [{ type: 'Approved', status: 'True' as const, reason: 'Fine', message: '' }];
  await client.update(CertificateSigningRequest, { ...made, status: { conditions } }, { subresource: 'approval' });
  const { subject } = await issued(plane, 'ann');
  expect(subject).toMatchObject({ O: '#130e73797374656d3a6d617374657273', CN: 'ann' });
});

async function issued({ client, eventually }: Awaited<ReturnType<typeof openPlane>>, name: string) {
  const pem = await eventually(async () => {
    const { status } = await client.get(CertificateSigningRequest, { name });
    return status?.certificate;
  });
  return new X509Certificate(Buffer.from(pem, 'base64')).toLegacyObject();
}
