import { describeFieldError } from '@pintle/machinery/errors';
import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../../generated/certificates/v1.ts';
import { checkRequestUpdate } from './request-validation.ts';

const pem = (type: string, der: number[]): string =>
  `-----BEGIN ${type}-----\n${Buffer.from(der).toString('base64')}\n-----END ${type}-----\n`;
const NULL_IN_SEQUENCE = [0x30, 2, 5, 0];
const request = Buffer.from(pem('CERTIFICATE REQUEST', NULL_IN_SEQUENCE)).toString('base64');

function requestWith(certificate?: string): CertificateSigningRequest {
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'x' },
    spec: { request, signerName: 'example.com/own', usages: ['any'] },
    status: certificate === undefined ? {} : { certificate: Buffer.from(certificate).toString('base64') },
  };
}

test.each<[string, string, string[]]>([
  ['of one block', pem('CERTIFICATE', NULL_IN_SEQUENCE), []],
  ['of nothing', 'junk', ['must contain at least one CERTIFICATE PEM block']],
  ['of another type', pem('PRIVATE KEY', [5, 0]), ['only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"']],
  ['that is none', pem('CERTIFICATE', [0, 0, 0]), ['x509: malformed certificate']],
  ['that ends too early', pem('CERTIFICATE', [0x30, 9, 5, 0]), ['x509: malformed certificate']],
  [
    'with a bad second',
    pem('CERTIFICATE', NULL_IN_SEQUENCE) + pem('CERTIFICATE', [7]),
    ['x509: malformed certificate'],
  ],
])('a request takes a certificate %s, or says why not', (_what, certificate, problems) => {
  const found = [...checkRequestUpdate(requestWith(certificate), requestWith(), { maySetCertificate: true })];
  expect(found.map(describeFieldError)).toEqual(
    problems.map((problem) => `status.certificate: Invalid value: "<certificate data>": ${problem}`),
  );
});
