import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { createAuthority } from '@pintle/pki';
import { CertificateRequest } from '@pintle/pki/requests';
import { describe, expect, test } from 'vitest';
import type { TestApi } from '../../../testing/test-api.ts';
import { openTestApi } from '../../../testing/test-api.ts';

const NOW = Date.UTC(2026, 0, 2);
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

async function requestFor(name: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM });
  return request.toString('pem');
}

describe('A certificate that is signed on request', () => {
  test('is for whom and what was asked, no longer than its authority', async () => {
    const authority = await createAuthority('cluster', 1, NOW);
    const pem = await requestFor('O=growers, O=eaters, CN=ann');
    const request = await CertificateRequest.read(pem);
    expect(request.subject).toMatchObject({ commonName: 'ann', organizations: ['eaters', 'growers'] });
    const options = { usages: ['client auth', 'digital signature'], seconds: 10 * 24 * 3600, nowMs: NOW };
    const certificate = new X509Certificate(await request.sign(authority, options));
    expect(certificate.subject).toBe('O=eaters + O=growers\nCN=ann');
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(Date.parse(certificate.validTo)).toBe(NOW + 24 * 3600 * 1000);
  });

  test('is not made of what is no request', async () => {
    await expect(CertificateRequest.read('hello')).rejects.toThrow('it is not one PEM block');
  });
});

const clerk = { username: 'clerk', groups: ['system:authenticated'] };

async function openWithRequest(...rules: object[]): Promise<TestApi> {
  const api = await openTestApi();
  const all = [
    'certificatesigningrequests',
    'certificatesigningrequests/approval',
    'certificatesigningrequests/status',
  ];
  const write = { apiGroups: ['certificates.k8s.io'], resources: all, verbs: ['*'] };
  await api.post(`${RBAC}/clusterroles`, { metadata: { name: 'clerk' }, rules: [write, ...rules] });
  await api.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'clerk' },
    roleRef: { kind: 'ClusterRole', name: 'clerk' },
    subjects: [{ kind: 'User', name: 'clerk' }],
  });
  await api.post(CSRS, await csr('own', 'example.com/own', 'CN=ann'));
  return api;
}

async function csr(name: string, signerName: string, subject = 'CN=ann') {
  const request = Buffer.from(await requestFor(subject)).toString('base64');
  return { metadata: { name }, spec: { request, signerName, usages: ['client auth'] } };
}

async function approve(api: TestApi): Promise<number> {
  const conditions = [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }];
  const headers = { 'content-type': 'application/merge-patch+json' };
  const options = { user: clerk, headers, body: { status: { conditions } } };
  return (await api.server.send('PATCH', `${CSRS}/own/approval`, options)).status;
}

describe('Approval', () => {
  const mayApprove = (name: string) => ({
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: [name],
    verbs: ['approve'],
  });

  test.each<[string, object[], number]>([
    ['no right on any signer', [], 403],
    ['the right on another signer', [mayApprove('example.com/other')], 403],
    ['the right on the signer', [mayApprove('example.com/own')], 200],
    ['the right on its domain', [mayApprove('example.com/*')], 200],
  ])('with %s', async (_what, rules, status) => {
    await using api = await openWithRequest(...rules);
    expect(await approve(api)).toBe(status);
  });

  test.each<[string, string]>([
    ['EXAMPLE.com/a', 'validating label "EXAMPLE": a lowercase RFC 1123 label'],
    ['example.com/A', 'validating label "A": a lowercase RFC 1123 subdomain'],
    [`${'x'.repeat(250)}.com/a`, 'Too long: may not be more than 253 bytes'],
  ])('is not asked of %s', async (signer, why) => {
    await using api = await openTestApi();
    expect((await api.post(CSRS, await csr('own', signer))).body.message).toContain(why);
  });

  test('is not asked for what is no request within', async () => {
    await using api = await openTestApi();
    const block = (body: string) => `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
    const own = await csr('own', 'kubernetes.io/kube-apiserver-client');
    const ask = async (body: string) => {
      const request = Buffer.from(block(body)).toString('base64');
      const { status, body: answer } = await api.post(CSRS, { ...own, spec: { ...own.spec, request } });
      expect(status).toBe(422);
      return answer.message;
    };
    expect(await ask('AAAA')).toContain("asn1: structure error: tags don't match");
    expect(await ask('MA==')).toContain('asn1: syntax error: truncated tag or length');
    expect(await ask('MAAA')).toContain('asn1: syntax error: sequence truncated');
    expect(await ask('MAUA')).toContain('asn1: syntax error: data truncated');
  });

  test('is never asked for a subject that could be read in several ways, or brings a uid', async () => {
    await using api = await openTestApi();
    for (const [subject, why] of [
      ['CN=ann, CN=root', 'several common names'],
      ['1.3.6.1.4.1.57683.2=u1, CN=ann', 'the attribute 1.3.6.1.4.1.57683.2'],
      ['O=a\\0aO=system:masters, CN=ann', 'control characters'],
    ] as const) {
      const { status, body } = await api.post(CSRS, await csr('odd', 'kubernetes.io/kube-apiserver-client', subject));
      expect(status).toBe(403);
      expect(body.message).toContain(why);
    }
  });

  test('is never asked for administrators', async () => {
    await using api = await openTestApi();
    const root = await csr('root', 'kubernetes.io/kube-apiserver-client', 'O=system:masters, CN=root');
    expect((await api.post(CSRS, root)).body.message).toContain('with system:masters group is not allowed');
  });
});
