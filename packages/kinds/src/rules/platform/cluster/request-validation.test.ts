import { describeFieldError } from '@pintle/machinery/errors';
import { expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../../generated/certificates/v1.ts';
import { certificateSigningRequestRules } from './certificate-signing-request.ts';
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

const tlv = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const all = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, 0x83, all.length >> 16, (all.length >> 8) & 255, all.length & 255]), all]);
};
const names = (count: number): Buffer[] => Array.from({ length: count }, () => Buffer.from([0x82, 1, 0x61]));

test.each<[string, Buffer, string | undefined]>([
  ['a few names in an octet string', tlv(0x30, tlv(0x04, tlv(0x30, ...names(200)))), undefined],
  ['many names in an octet string', tlv(0x30, tlv(0x04, tlv(0x30, ...names(9_500)))), 'at most 256 ASN.1 values'],
  [
    'many names after bytes that lie about their length',
    tlv(0x30, tlv(0x04, Buffer.from([5, 0x83, 1, 0, 0])), ...names(300)),
    'at most 256 ASN.1 values',
  ],
  [
    'many names in a value without a length',
    Buffer.concat([Buffer.from([0x30, 0x80]), ...names(300)]),
    'at most 256 ASN.1 values',
  ],
  ['values in values', tlv(0x30, Buffer.alloc(4_000, Buffer.from([0x24, 0x80]))), 'at most 256 ASN.1 values'],
  ['a long value', tlv(0x30, tlv(0x03, Buffer.alloc(40_000))), 'at most 32768 bytes'],
])('a request of any signer with %s is refused when it is too large to be read', (_what, der, problem) => {
  const { spec, ...rest } = requestWith();
  const text = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  const large = { ...rest, spec: { ...spec, request: Buffer.from(text).toString('base64') } };
  const problems = certificateSigningRequestRules.validate!(large).map(describeFieldError);
  const sizes = problems.filter((found) => found.includes('at most'));
  expect(sizes).toEqual(
    problem === undefined ? [] : [`spec.request: Invalid value: "<certificate request data>": must have ${problem}`],
  );
});
