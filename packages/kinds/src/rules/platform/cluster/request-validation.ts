import { requestSizeProblem } from '@pintle/machinery/certificates';
import { duplicate, FieldPath, forbidden, invalid, notSupported, required, tooLong } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { CertificateSigningRequest } from '../../../generated/certificates/v1.ts';
import { type Check, checkChoice } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { blockTypes } from '../core/key-pair.ts';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const minSeconds = 600;
const conditionsPath = FieldPath.of('status', 'conditions');

/** Checks only the PEM block and its length; the signer reads the request inside. */
export function* checkRequest(
  request: CertificateSigningRequest,
  path: FieldPath,
  previous?: CertificateSigningRequest,
): Check {
  const { spec } = request;
  const problem = requestProblem(decode(spec.request));
  if (problem !== undefined) yield invalid(path.child('request'), spec.request, problem);
  yield* checkUsages(spec.usages ?? [], path.child('usages'));
  yield* checkSignerName(spec.signerName, path.child('signerName'));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < minSeconds)
    yield invalid(
      path.child('expirationSeconds'),
      spec.expirationSeconds,
      `may not specify a duration less than ${minSeconds} seconds (10 minutes)`,
    );
  yield* checkConditions(request);
  yield* checkCertificate(request, previous);
}

/** Checks only new requests: existing ones may be larger, and must still be approved or denied. */
export function* checkRequestSize({ spec }: CertificateSigningRequest, path: FieldPath): Check {
  const [der = new Uint8Array()] = blocksIn(decode(spec.request), 'CERTIFICATE REQUEST');
  const problem = requestSizeProblem(der);
  if (problem !== undefined) yield invalid(path.child('request'), '<certificate request data>', problem);
}

/** DER tag of a sequence. */
const sequenceTag = 0x30;

function requestProblem(pem: string): string | undefined {
  if (!blockTypes(pem).includes('CERTIFICATE REQUEST')) return 'PEM block type must be CERTIFICATE REQUEST';
  const der = blocksIn(pem, 'CERTIFICATE REQUEST')[0] ?? new Uint8Array();
  const [tag = 0, size = 0] = der;
  if (tag === sequenceTag) return lengthProblem(der);
  const found = `{class:${tag >> 6} tag:${tag & 0x1f} length:${size} isCompound:${(tag & 0x20) !== 0}}`;
  const wanted =
    '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';
  return `asn1: structure error: tags don't match (16 vs ${found}) ${wanted} certificateRequest @2`;
}

/** Checks that the sequence is not empty and ends where the block does. */
function lengthProblem(der: Uint8Array): string | undefined {
  const [, size] = der;
  if (size === undefined) return 'asn1: syntax error: truncated tag or length';
  const digits = size < 0x80 ? [size] : [...der.subarray(2, 2 + (size & 0x7f))];
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  const end = length + (size < 0x80 ? 2 : 2 + digits.length);
  if (end > der.length) return 'asn1: syntax error: data truncated';
  if (length === 0) return 'asn1: syntax error: sequence truncated';
  return end < der.length ? 'asn1: syntax error: trailing data' : undefined;
}

function isSequence(der: Uint8Array): boolean {
  return der[0] === sequenceTag && lengthProblem(der) === undefined;
}

/** Decodes the PEM blocks of a type. */
function blocksIn(pem: string, type: string): Uint8Array[] {
  const parts = pem.split(`-----BEGIN ${type}-----`).slice(1);
  return parts.map((part) => Buffer.from(part.split('-', 1)[0]!.replace(/[^A-Za-z0-9+/]/g, ''), 'base64'));
}

function* checkUsages(given: readonly string[], path: FieldPath): Check {
  if (given.length === 0) yield required(path);
  for (const [index, usage] of given.entries())
    if (!usages.includes(usage)) yield notSupported(path.index(index), usage, usages);
  const isRepeated = repeats<string>();
  for (const [index, usage] of given.entries()) if (isRepeated(usage)) yield duplicate(path.index(index), usage);
}

const maxDomainLength = 253;
const maxSignerNameLength = 571;

/** `example.com/signer-name` */
function* checkSignerName(name: string, path: FieldPath): Check {
  if (!name) {
    yield required(path);
    return;
  }
  const [domain = '', ...rest] = name.split('/');
  if (rest.length !== 1) {
    yield invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (domain.length > maxDomainLength) yield tooLong(path, maxDomainLength);
  yield* checkSegments(domain, path, validateDns1123Label);
  if (!domain.includes('.'))
    yield invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  yield* checkSegments(rest[0] ?? '', path, validateDns1123Subdomain);
  if (name.length > maxSignerNameLength) yield tooLong(path, maxSignerNameLength);
}

/** Reports only the first invalid segment: the message is the same for all. */
function* checkSegments(text: string, path: FieldPath, problemsOf: (segment: string) => readonly string[]): Check {
  for (const segment of text.split('.')) {
    const problems = problemsOf(segment);
    for (const problem of problems)
      yield invalid(path, text, `validating label ${JSON.stringify(segment)}: ${problem}`);
    if (problems.length > 0) return;
  }
}

/** Approved, Denied and Failed can only be true; the first two exclude each other. */
function* checkConditions({ status }: CertificateSigningRequest): Check {
  const seen = new Set<string>();
  for (const [index, { type, status: value }] of (status?.conditions ?? []).entries()) {
    const at = conditionsPath.index(index);
    if (!type) yield required(at.child('type'));
    const isFinal = ['Approved', 'Denied', 'Failed'].includes(type);
    yield* checkChoice(at.child('status'), value, isFinal ? ['True'] : ['False', 'True', 'Unknown']);
    const opposite = { Approved: 'Denied', Denied: 'Approved' }[type];
    if (opposite !== undefined && seen.has(opposite))
      yield invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive');
    if (seen.has(type)) yield duplicate(at.child('type'), type);
    seen.add(type);
  }
}

function* checkCertificate(
  { status }: CertificateSigningRequest,
  previous: CertificateSigningRequest | undefined,
): Check {
  const certificate = status?.certificate;
  if (!certificate || certificate === previous?.status?.certificate) return;
  const found = blockTypes(decode(certificate));
  const other = found.find((type) => type !== 'CERTIFICATE');
  const path = FieldPath.of('status', 'certificate');
  const shown = '<certificate data>';
  if (other !== undefined)
    yield invalid(path, shown, `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other)}`);
  else if (found.length === 0) yield invalid(path, shown, 'must contain at least one CERTIFICATE PEM block');
  else if (!blocksIn(decode(certificate), 'CERTIFICATE').every(isSequence))
    yield invalid(path, shown, 'x509: malformed certificate');
}

interface RequestChange {
  readonly mayApprove?: boolean;
  readonly maySetCertificate?: boolean;
}

/** Conditions are never removed; only the approval endpoint adds decisions, and only the status endpoint sets the certificate. */
export function* checkRequestUpdate(
  next: CertificateSigningRequest,
  previous: CertificateSigningRequest,
  { mayApprove, maySetCertificate }: RequestChange,
): Check {
  yield* checkRequest(next, FieldPath.of('spec'), previous);
  const of = ({ status }: CertificateSigningRequest, wanted: string) =>
    (status?.conditions ?? []).filter(({ type }) => type === wanted);
  for (const type of ['Approved', 'Denied', 'Failed'])
    if (of(next, type).length < of(previous, type).length)
      yield forbidden(conditionsPath, `updates may not remove a condition of type "${type}"`);
  for (const type of mayApprove ? [] : ['Approved', 'Denied']) {
    const [now, before] = [of(next, type), of(previous, type)];
    if (now.length > before.length)
      yield forbidden(conditionsPath, `updates may not add a condition of type "${type}"`);
    else if (now.length === before.length && !deepEqual(now, before))
      yield forbidden(conditionsPath, `updates may not modify a condition of type "${type}"`);
  }
  const certificate = previous.status?.certificate ?? '';
  if ((next.status?.certificate ?? '') === certificate) return;
  if (!maySetCertificate) yield forbidden('status.certificate', 'updates may not set certificate content');
  else if (certificate !== '')
    yield forbidden('status.certificate', 'updates may not modify existing certificate content');
}

function decode(base64: string): string {
  return Buffer.from(base64 ?? '', 'base64').toString();
}
