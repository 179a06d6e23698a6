import { expect, test } from 'vitest';
import { createServingCertificate } from './index.ts';
import { readCertificates } from './read-certificates.ts';

const BEGIN = '-----BEGIN CERTIFICATE-----';

test('certificates are read in order, with any text between them', async () => {
  const { certificate, authority } = await createServingCertificate({ hosts: ['127.0.0.1'], days: 1 }, Date.now());
  const read = readCertificates(`first\n${certificate}\nsecond\n${authority}\n${BEGIN}`);
  expect(read.map(({ subject }) => subject)).toEqual([
    ...readCertificates(certificate).map(({ subject }) => subject),
    ...readCertificates(authority).map(({ subject }) => subject),
  ]);
  expect(read.length).toBeGreaterThanOrEqual(2);
});

test('certificates that begin and do not end are read once', () => {
  expect(readCertificates(BEGIN.repeat(100_000))).toEqual([]);
});
