import 'reflect-metadata';
import { X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { SteppedClock } from '@pintle/async';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { describe, expect, test } from 'vitest';
import { CertificateAuthenticator } from './certificate-authenticator.ts';

const NOW = Date.UTC(2026, 0, 2);
const DAY_MS = 24 * 60 * 60 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const authority = createAuthority('clients', 10, NOW);

async function ask(pem: string, nowMs = NOW, revoked: string[] = [], authorities?: string) {
  const clock = new SteppedClock({ startMs: nowMs });
  const bundle = authorities ?? (await authority).certificate;
  const authenticator = new CertificateAuthenticator({ authorities: bundle, clock, revoked });
  return authenticator.authenticate({
    method: 'GET',
    path: '/',
    query: '',
    headers: {},
    body: new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '', certificate: new NodeCertificate(pem).raw },
  });
}

const issue = async (more: object = {}, by?: KeyPair) => {
  const options = { commonName: 'ann', organizations: ['a', 'b'], usage: 'client' as const, days: 1, ...more };
  return (await issueCertificate(by ?? (await authority), options, NOW)).certificate;
};

/** A certificate with any subject, which an authority of ours would not make. */
async function withSubject(subject: string): Promise<string> {
  const { certificate, privateKey } = await authority;
  const der = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.create({
    subject,
    issuer: new NodeCertificate(certificate).issuer.replaceAll('\n', ', '),
    notBefore: new Date(NOW),
    notAfter: new Date(NOW + DAY_MS),
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
  });
  return made.toString('pem');
}

/** The authority with the same name and key, and later dates. */
async function renewedAuthority(): Promise<string> {
  const { certificate, privateKey } = await authority;
  const { subjectName, publicKey } = new X509Certificate(certificate);
  const der = Buffer.from(privateKey.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const made = await X509CertificateGenerator.create({
    subject: subjectName,
    issuer: subjectName,
    notBefore: new Date(NOW + 5 * DAY_MS),
    notAfter: new Date(NOW + 30 * DAY_MS),
    publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true)],
  });
  return made.toString('pem');
}

describe('A client certificate', () => {
  test('is the user of its common name, in the groups of its organizations', async () => {
    expect(await ask(await issue())).toMatchObject({
      user: { username: 'ann', groups: ['a', 'b', 'system:authenticated'] },
      source: 'x509',
    });
  });

  test('is in no group that an organization only seems to name', async () => {
    const name = 'a\nO=system:masters';
    const hex = Buffer.from(name).toString('hex');
    for (const subject of [
      `O=#0c${name.length.toString(16).padStart(2, '0')}${hex}, CN=ann`,
      'O="x, O=system:masters", CN=ann',
    ]) {
      const { user } = (await ask(await withSubject(subject))) as { user: { groups: readonly string[] } };
      expect(user.groups).toHaveLength(2);
      expect(user.groups).not.toContain('system:masters');
    }
  });

  test('may say the uid', async () => {
    expect(await ask(await withSubject('1.3.6.1.4.1.57683.2=u1, CN=ann'))).toMatchObject({ user: { uid: 'u1' } });
  });

  test.each<[string, () => Promise<string>, number?]>([
    ['of another authority', async () => await issue({}, await createAuthority('clients', 10, NOW))],
    ['for servers', () => issue({ usage: 'server' })],
    ['that is an authority’s own', async () => (await authority).certificate],
    ['that is over', () => issue(), NOW + 2 * DAY_MS],
    ['of an authority that is over', () => issue({ days: 100 }), NOW + 20 * DAY_MS],
    ['that is not valid yet', () => issue(), NOW - DAY_MS],
    ['without a common name', () => withSubject('O=system:masters')],
    ['with two uids', () => withSubject('1.3.6.1.4.1.57683.2=u1, 1.3.6.1.4.1.57683.2=u2, CN=ann')],
  ])('%s is refused', async (_what, make, nowMs) => {
    expect(await ask(await make(), nowMs)).toHaveProperty('refused');
  });

  test('is valid while any of the authorities that signed it is', async () => {
    const both = `${(await authority).certificate}\n${await renewedAuthority()}`;
    const certificate = await issue({ days: 100 });
    for (const day of [0, 7, 20]) {
      expect(await ask(certificate, NOW + day * DAY_MS, [], both)).toHaveProperty('user');
    }
    expect(await ask(certificate, NOW + 40 * DAY_MS, [], both)).toHaveProperty('refused');
  });

  test('that is revoked is refused, and no other', async () => {
    const [lost, kept] = [await issue(), await issue()];
    const revoked = [new NodeCertificate(lost).fingerprint256.replaceAll(':', '').toLowerCase()];
    expect(await ask(lost, NOW, revoked)).toEqual({ refused: 'x509: certificate is revoked' });
    expect(await ask(kept, NOW, revoked)).toHaveProperty('user');
  });
});
