import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import * as dns from './dns.ts';
import * as fields from './field-names.ts';
import { validateGroupId, validatePortNumber } from './field-names.ts';
import { validateLabelValue, validateQualifiedName } from './label-names.ts';
import { dns1123LabelName, dns1123SubdomainName, pathSegmentName } from './name-rules.ts';

const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePartMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('validateDns1123Subdomain', () => {
  test.each(['a', 'example.com', '1.2-3.x', 'a'.repeat(253)])('accepts %s', (value) => {
    expect(dns.validateDns1123Subdomain(value)).toEqual([]);
  });

  const refused = ['', 'Upper', 'under_score', '-lead', 'trail-', 'dot..dot', 'sp ace', 'ümlaut', '..', 'a/b', 'a\n'];
  test.each(refused)('refuses %j', (value) => {
    expect(dns.validateDns1123Subdomain(value)).toEqual([subdomainMessage]);
  });

  test('counts bytes and says characters', () => {
    expect(dns.validateDns1123Subdomain('n'.repeat(254))).toEqual(['must be no more than 253 characters']);
    expect(dns.validateDns1123Subdomain('ü'.repeat(127))).toEqual([
      'must be no more than 253 characters',
      subdomainMessage,
    ]);
  });
});

test('validateDns1123Label tells dots from other faults', () => {
  expect(dns.validateDns1123Label('my-name')).toEqual([]);
  expect(dns.validateDns1123Label('a.b')).toEqual(['must not contain dots']);
  expect(dns.validateDns1123Label('A')).toEqual([labelMessage]);
  expect(dns.validateDns1123Label('n'.repeat(64))).toEqual(['must be no more than 63 characters']);
});

test('validateDns1035Label wants a letter first', () => {
  expect(dns.validateDns1035Label('abc-123')).toEqual([]);
  expect(dns.validateDns1035Label('1abc')).toEqual([
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ]);
});

test('the other DNS rules', () => {
  expect(dns.validateWildcardDns1123Subdomain('*.example.com')).toEqual([]);
  expect(dns.validateWildcardDns1123Subdomain('*.*.com')).toHaveLength(1);
  expect(dns.validateDns1123SubdomainCaseless('Example.Com')).toEqual([]);
  expect(dns.validateDns1123SubdomainCaseless('a_b')).toHaveLength(1);
  expect(dns.validateDns1123SubdomainWithUnderscore('_sip._tcp.example.com')).toEqual([]);
});

describe('validateQualifiedName', () => {
  const cases: [string, string[]][] = [
    ['simple', []],
    ['example.com/My_Name.1', []],
    ['a'.repeat(63), []],
    ['', ['name part must be non-empty', namePartMessage]],
    ['a b', [namePartMessage]],
    ['/x', ['prefix part must be non-empty']],
    ['a b/c', [`prefix part ${subdomainMessage}`]],
    ['n'.repeat(64), ['name part must be no more than 63 bytes']],
    [`${'n'.repeat(254)}/x`, ['prefix part must be no more than 253 bytes']],
    [
      'a/b/c',
      [
        "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
    ],
  ];
  test.each(cases)('%j', (value, problems) => expect(validateQualifiedName(value)).toEqual(problems));
});

test('validateLabelValue', () => {
  expect(validateLabelValue('')).toEqual([]);
  expect(validateLabelValue('a_b.C-1')).toEqual([]);
  expect(validateLabelValue('bad value!')).toEqual([labelValueMessage]);
  expect(validateLabelValue('x'.repeat(64))).toEqual(['must be no more than 63 bytes']);
});

test('validateConfigMapKey keeps keys fit for files', () => {
  expect(fields.validateConfigMapKey('key.name')).toEqual([]);
  expect(fields.validateConfigMapKey('..')).toEqual(["must not be '..'"]);
  expect(fields.validateConfigMapKey('..a')).toEqual(["must not start with '..'"]);
  expect(fields.validateConfigMapKey('a/b')).toEqual([
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ]);
});

test('environment variables have a strict and a relaxed rule', () => {
  expect(fields.validateEnvVarName('1A')).toHaveLength(1);
  expect(fields.validateRelaxedEnvVarName('1A b')).toEqual([]);
  expect(fields.validateRelaxedEnvVarName('A=B')).toHaveLength(1);
  expect(fields.validateRelaxedEnvVarName('')).toEqual(['environment variable name must be non-empty']);
});

describe('validatePortName', () => {
  const cases: [string, string[]][] = [
    ['http-1', []],
    ['a'.repeat(16), ['must be no more than 15 characters']],
    [
      '',
      [
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must contain at least one letter (a-z)',
      ],
    ],
    ['1-2', ['must contain at least one letter (a-z)']],
    ['-a--b', ['must not contain consecutive hyphens', 'must not begin or end with a hyphen']],
  ];
  test.each(cases)('%j', (value, problems) => expect(fields.validatePortName(value)).toEqual(problems));
});

test('small fields', () => {
  expect(fields.validateHttpHeaderName('X-A')).toEqual([]);
  expect(fields.validateHttpHeaderName('a b')).toHaveLength(1);
  expect(fields.validatePercent('93%')).toEqual([]);
  expect(fields.validatePercent('-1%')).toHaveLength(1);
  expect(fields.validateCIdentifier('_a1')).toEqual([]);
  expect(fields.validateCIdentifier('1a')).toHaveLength(1);
  expect(fields.isUuid('123e4567-e89b-12d3-a456-426614174000')).toBe(true);
  expect(fields.isUuid('123e4567e89b12d3a456426614174000')).toBe(false);
  expect(validatePortNumber(0)).toEqual(['must be between 1 and 65535, inclusive']);
  expect(validatePortNumber(9007199254740993n)).toHaveLength(1);
  expect(validateGroupId(-1)).toEqual(['must be between 0 and 2147483647, inclusive']);
});

test('a prefix may end in a dash', () => {
  expect(dns1123SubdomainName('web-', true)).toEqual([]);
  expect(dns1123SubdomainName('web-', false)).toEqual([subdomainMessage]);
  expect(dns1123LabelName('-', true)).toEqual([labelMessage]);
  expect(dns1123LabelName('--', true)).toEqual([]);
});

test('pathSegmentName asks for the least', () => {
  expect(pathSegmentName('system:anything goes', false)).toEqual([]);
  expect(pathSegmentName('..', false)).toEqual(["may not be '..'"]);
  expect(pathSegmentName('..', true)).toEqual([]);
  expect(pathSegmentName('a/b%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
});

test('long hostile names are answered at once', () => {
  const computedMs = threadTimer();
  for (const hostile of ['a.', 'a-', '.', 'a', '-', '/'])
    for (const check of [dns.validateDns1123Subdomain, validateQualifiedName, validateLabelValue])
      check(`${hostile.repeat(100_000)}!`);

  expect(computedMs()).toBeLessThan(2_000);
});
