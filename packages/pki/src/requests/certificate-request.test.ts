import 'reflect-metadata';
import { X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import type { JsonAttributeObject, JsonGeneralNames } from '@peculiar/x509';
import {
  Name,
  Pkcs10CertificateRequest,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from '@peculiar/x509';
import { SeededRandom } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { createAuthority, readSubject } from '../index.ts';
import type { RequestedSubject } from './index.ts';
import { CertificateRequest } from './index.ts';

const NOW = Date.UTC(2026, 0, 2);
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const SIGN_OPTIONS = { usages: ['client auth', 'digital signature'], seconds: 3600, nowMs: NOW };
const authority = createAuthority('clients', 10, NOW);
const keys = webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

type Text = string | JsonAttributeObject;

/** A request in PEM, signed by its own key, for a subject whose values are written as they are. */
async function requestFor(rdns: readonly Record<string, Text[]>[], hosts?: JsonGeneralNames): Promise<string> {
  const typed = rdns.map((rdn) =>
    Object.fromEntries(Object.entries(rdn).map(([type, values]) => [type, values.map(asIs)])),
  );
  return await requestOf(Buffer.from(new Name(typed).toArrayBuffer()), hosts);
}

function asIs(text: Text): JsonAttributeObject {
  return typeof text === 'string' ? { utf8String: text } : text;
}

async function requestOf(subject: Uint8Array, hosts?: JsonGeneralNames): Promise<string> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: new Name(subject),
    keys: await keys,
    signingAlgorithm: ALGORITHM,
    ...(hosts && { extensions: [new SubjectAlternativeNameExtension(hosts)] }),
  });
  return request.toString('pem');
}

interface Outcome {
  readonly checked: RequestedSubject;
  readonly certificate: string;
}

/** Returns the checked subject and the certificate of a request, or why the signer refused. */
async function outcomeOf(pem: string): Promise<Outcome | { readonly refused: string }> {
  try {
    const request = await CertificateRequest.read(pem);
    return { checked: request.subject, certificate: await request.sign(await authority, SIGN_OPTIONS) };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

/** A certificate names exactly whom the check saw, in the bytes of the request. */
async function expectSameIdentity(pem: string): Promise<'issued' | 'refused'> {
  const outcome = await outcomeOf(pem);
  if ('refused' in outcome) return 'refused';
  const { checked, certificate } = outcome;
  const { names, organizations, uids } = readSubject(new NodeCertificate(certificate));
  expect([names.at(-1) ?? '', organizations, uids]).toEqual([checked.commonName, checked.organizations, []]);
  const subjectOf = (name: Name): string => Buffer.from(name.toArrayBuffer()).toString('hex');
  expect(subjectOf(new X509Certificate(certificate).subjectName)).toBe(
    subjectOf(new Pkcs10CertificateRequest(pem).subjectName),
  );
  return 'issued';
}

const MASTERS = '#130e73797374656d3a6d617374657273';
const MANAGER = 'system:node:x"system:kube-controller-manager"';

describe('The certificate of a request', () => {
  test.each<[string, string]>([
    ['DER in hexadecimal', MASTERS],
    ['an upper-case tag', '#0C0E73797374656D3A6D617374657273'],
    ['a quoted name at its end', MANAGER],
    ['a quoted name', '"system:masters"'],
    ['an empty quoted name', '""'],
    ['one quote', '"'],
    ['escaped quotes', '\\"system:masters\\"'],
    ['an escaped newline', 'a\\0aO=system:masters'],
    ['a backslash at its end', 'a\\'],
    ['two backslashes', 'a\\\\'],
    ['a comma', 'a, O=system:masters'],
    ['a plus', 'a+O=system:masters'],
    ['a semicolon', 'a;O=system:masters'],
    ['a slash', 'a/O=system:masters'],
    ['an equals sign', 'O=system:masters'],
    ['spaces around it', '  ann  '],
    ['a space alone', ' '],
    ['nothing', ''],
    ['a hash alone', '#'],
    ['an odd number of digits', '#1'],
    ['letters beyond ASCII', 'ännä 名 🐙'],
    ['words of Object.prototype', '__proto__'],
  ])('names whom it was asked for, with %s', async (_what, text) => {
    expect(await expectSameIdentity(await requestFor([{ O: [text] }, { CN: ['ann'] }]))).toBe('issued');
    expect(await expectSameIdentity(await requestFor([{ O: ['system:nodes'] }, { CN: [text] }]))).toBe('issued');
    expect(await expectSameIdentity(await requestFor([{ O: ['a', text] }, { CN: [text] }]))).toBe('issued');
  });

  test('names whom it was asked for, of 100 random subjects', async () => {
    const random = new SeededRandom('subjects');
    const pieces = [
      '#',
      '130e',
      '"',
      '\\',
      '0a',
      ',',
      '+',
      ';',
      '=',
      '<',
      '>',
      ' ',
      '\n',
      '\0',
      'O',
      'CN',
      'system:',
      'masters',
      'ä',
      '🐙',
      '\uFEFF',
      '\u2028',
      'x',
    ];
    const text = (): string =>
      Array.from({ length: random.below(9) }, () => pieces[random.below(pieces.length)]).join('');
    let issued = 0;
    for (let i = 0; i < 100; i++) {
      const kind = (['utf8String', 'bmpString', 'universalString'] as const)[random.below(3)] ?? 'utf8String';
      const rdns = [{ O: [text(), { [kind]: text() }] }, { CN: [text()] }, { OU: [text()] }];
      if ((await expectSameIdentity(await requestFor(random.below(2) === 0 ? rdns : rdns.reverse()))) === 'issued')
        issued++;
    }
    expect(issued).toBeGreaterThan(20);
  });

  test('keeps alternative names and the public key as they are', async () => {
    const hosts: JsonGeneralNames = [
      { type: 'dns', value: '*.n1.example' },
      { type: 'ip', value: '10.0.0.1' },
      { type: 'ip', value: 'fd00::1' },
      { type: 'email', value: 'a@b.c' },
      { type: 'url', value: 'spiffe://a/b' },
    ];
    const pem = await requestFor([{ CN: ['ann'] }], hosts);
    const outcome = (await outcomeOf(pem)) as Outcome;
    expect(outcome.checked).toMatchObject({
      dnsNames: ['*.n1.example'],
      emailAddresses: ['a@b.c'],
      uris: ['spiffe://a/b'],
    });
    expect(outcome.checked.ipAddresses).toHaveLength(2);
    const [asked, issued] = [new Pkcs10CertificateRequest(pem), new X509Certificate(outcome.certificate)];
    const hex = (bytes: ArrayBuffer | undefined): string => Buffer.from(bytes ?? new ArrayBuffer()).toString('hex');
    expect(hex(issued.getExtension('2.5.29.17')?.value)).toBe(hex(asked.getExtension('2.5.29.17')?.value));
    expect(hex(issued.publicKey.rawData)).toBe(hex(asked.publicKey.rawData));
  });
});

const COMMON_NAME = '0603550403';
const tlv = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, body.length]), body]);
};
/** A subject of one attribute whose value has any tag and any bytes. */
const subjectOf = (type: string, tag: number, value: Uint8Array): Buffer =>
  tlv(0x30, tlv(0x31, tlv(0x30, Buffer.from(type, 'hex'), tlv(tag, value))));
/** A request whose bytes were changed after it was signed; who reads it is to refuse it before its signature matters. */
const changed = async (from: string, to: string): Promise<string> => {
  const pem = await requestFor([{ CN: ['ann'] }]);
  const hex = Buffer.from(new Pkcs10CertificateRequest(pem).rawData).toString('hex');
  expect(hex).toContain(from);
  const base64 = Buffer.from(hex.replace(from, to), 'hex').toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
};

describe('A request is refused', () => {
  test.each<[string, () => Promise<string>, string]>([
    ['several common names', () => requestFor([{ CN: ['ann'] }, { CN: ['bob'] }]), 'several common names'],
    ['several common names in one', () => requestFor([{ CN: ['ann', 'bob'] }]), 'several common names'],
    ['a uid', () => requestFor([{ '1.3.6.1.4.1.57683.2': ['u1'] }, { CN: ['ann'] }]), '1.3.6.1.4.1.57683.2'],
    ['an unknown attribute', () => requestFor([{ '1.2.3.4': ['x'] }, { CN: ['ann'] }]), 'the attribute 1.2.3.4'],
    ['a newline', () => requestFor([{ O: ['a\nO=system:masters'] }, { CN: ['ann'] }]), 'control characters'],
    ['a NUL', () => requestFor([{ CN: ['ann\0.example'] }]), 'control characters'],
    ['a NumericString', () => requestOf(subjectOf(COMMON_NAME, 0x12, Buffer.from('12'))), 'in several ways'],
    ['an OCTET STRING', () => requestOf(subjectOf(COMMON_NAME, 0x04, Buffer.from('ann'))), 'Cannot read'],
    ['UTF-8 that is none', () => changed('0c03616e6e', '0c03ff6e6e'), 'not in DER'],
    ['half a surrogate', () => changed('0c03616e6e', '0c03eda080'), 'not in DER'],
    ['half a letter', () => changed('0c03616e6e', '1e03006100'), 'Cannot read'],
    ['a length in BER', () => changed('0c03616e6e', '0c8102616e'), 'not in DER'],
    ['mail for a host', () => requestFor([{ CN: ['a'] }], [{ type: 'dns', value: 'a, DNS:b' }]), 'type dns'],
    ['a NUL in a host', () => requestFor([{ CN: ['a'] }], [{ type: 'dns', value: 'a\0.b' }]), 'type dns'],
    ['a nameless host', () => requestFor([{ CN: ['a'] }], [{ type: 'dns', value: '' }]), 'type dns'],
    ['a line in a URI', () => requestFor([{ CN: ['a'] }], [{ type: 'url', value: 'a:b\nc' }]), 'type url'],
    ['a directory name', () => requestFor([{ CN: ['a'] }], [{ type: 'dn', value: 'CN=b' }]), 'type dn'],
    ['a principal', () => requestFor([{ CN: ['a'] }], [{ type: 'upn', value: 'b@c' }]), 'type upn'],
    ['nothing', async () => '', 'not one PEM block'],
    [
      'two blocks',
      async () => `${await requestFor([{ CN: ['ann'] }])}\n${await requestFor([{ CN: ['bob'] }])}`,
      'not one PEM block',
    ],
    [
      'another block',
      async () => (await requestFor([{ CN: ['ann'] }])).replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
      'not one PEM block',
    ],
  ])('with %s', async (_what, make, why) => {
    const outcome = await outcomeOf(await make());
    expect(outcome).toHaveProperty('refused', expect.stringContaining('Cannot read a certificate request'));
    expect(outcome).toHaveProperty('refused', expect.stringContaining(why));
  });

  test('whose signature is of another key', async () => {
    expect(await outcomeOf(await changed('0c03616e6e', '0c03626f62'))).toEqual({
      refused: 'Cannot sign a certificate: its request has a bad signature',
    });
  });
});

test.each<[string, Promise<string>, string]>([
  [
    'names',
    requestFor(
      [{ CN: ['x'] }],
      Array.from({ length: 300 }, (_, i) => ({ type: 'dns', value: `h${i}` })),
    ),
    'values',
  ],
  ['organizations', requestFor(Array.from({ length: 300 }, (_, i) => ({ O: [`o${i}`] }))), 'values'],
  ['text', requestFor([{ CN: ['x'.repeat(40_000)] }]), 'bytes'],
])('A request with too much of %s is refused before it is read', async (_what, pem, of) => {
  const { refused } = (await outcomeOf(await pem)) as { refused: string };
  expect(refused).toMatch(new RegExp(`Cannot read a certificate request: it must have at most \\d+ .*${of}$`));
});
