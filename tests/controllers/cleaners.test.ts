import { CertificateSigningRequest } from '@pintle/kinds/certificates/v1';
import { Secret, ServiceAccount } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';
import { REQUEST } from './survive/workloads.ts';

const DAY_MS = 86_400_000;

test('a request for a certificate goes an hour after it was decided, a day after nobody did', async () => {
  await using plane = await openPlane(['certificatesigningrequest-cleaner-controller']);
  const { client, clock } = plane;
  const spec = { request: REQUEST, signerName: 'example.com/mine', usages: ['client auth' as const] };
  const decided = await client.create(CertificateSigningRequest, { metadata: { name: 'decided' }, spec });
  await client.create(CertificateSigningRequest, { metadata: { name: 'pending' }, spec });
  const conditions = [{ type: 'Denied', status: 'True' as const, reason: 'No', message: '' }];
  await client.update(CertificateSigningRequest, { ...decided, status: { conditions } }, { subresource: 'approval' });
  const names = async () => (await client.list(CertificateSigningRequest)).items.map(({ metadata }) => metadata.name);
  await clock.advance(3_000_000);
  expect(await names()).toEqual(['decided', 'pending']);
  await clock.advance(1_000_000);
  await plane.eventually(async () => (await names()).join() === 'pending');
  await clock.advance(DAY_MS);
  await plane.eventually(async () => (await names()).length === 0);
});

test('a token that nodes join with goes when its time is over', async () => {
  await using plane = await openPlane(['token-cleaner-controller']);
  const { client, clock } = plane;
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'token-id': encode('abcdef'), expiration: encode('2026-01-01T01:00:00Z') };
  const ref = { namespace: 'kube-system', name: 'bootstrap-token-abcdef' };
  await client.create(Secret, { metadata: ref, type: 'bootstrap.kubernetes.io/token', data });
  await clock.advance(3_000_000);
  expect(await client.find(Secret, ref)).toBeDefined();
  await clock.advance(1_000_000);
  await plane.eventually(async () => (await client.find(Secret, ref)) === undefined);
});

test('a token that was made unasked is invalid after a year without use, and gone after another', async () => {
  await using plane = await openPlane(['legacy-serviceaccount-token-cleaner-controller'], { isQuiet: true });
  const { client, clock } = plane;
  const namespace = 'default';
  await client.create(ServiceAccount, { metadata: { namespace, name: 'old' }, secrets: [{ name: 'unasked' }] });
  const annotations = { 'kubernetes.io/service-account.name': 'old' };
  const type = 'kubernetes.io/service-account-token';
  for (const name of ['unasked', 'asked'])
    await client.create(Secret, { metadata: { namespace, name, annotations }, type });
  const label = async (name: string) =>
    (await client.find(Secret, { namespace, name }))?.metadata.labels?.['kubernetes.io/legacy-token-invalid-since'];
  const days = async (count: number): Promise<void> => {
    const untilMs = clock.now() + count * DAY_MS;
    while (clock.now() < untilMs && (await clock.advanceToNext()));
  };
  await days(360);
  expect(await label('unasked')).toBeUndefined();
  await days(10);
  await plane.eventually(async () => (await label('unasked')) !== undefined);
  await days(370);
  await plane.eventually(async () => (await client.find(Secret, { namespace, name: 'unasked' })) === undefined);
  expect(await client.find(Secret, { namespace, name: 'asked' })).toBeDefined();
});
