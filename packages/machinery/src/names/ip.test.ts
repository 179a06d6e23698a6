import { describe, expect, test } from 'vitest';
import { describeFieldError } from '../errors/field-error.ts';
import { cidrContains, formatCidr, isValidCidr, parseCidr } from './cidr.ts';
import {
  validateDomainPrefixedKey,
  validateDomainPrefixedPath,
  validateFullyQualifiedDomainName,
} from './domain-paths.ts';
import { formatIp, ipFamilyOf, isValidIp, parseIp } from './ip.ts';
import {
  validateCidr,
  validateInterfaceAddress,
  validateIp,
  validateLegacyIp,
  warningsForCidr,
  warningsForIp,
} from './ip-fields.ts';

describe('parseIp and formatIp give the canonical text', () => {
  const cases: [string, string | undefined][] = [
    ['10.9.8.7', '10.9.8.7'],
    ['010.002.003.004', '10.2.3.4'],
    ['256.1.1.1', undefined],
    ['1.2.3', undefined],
    ['1.2.3.4.5', undefined],
    ['1.2.3.-4', undefined],
    ['', undefined],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['FE80:0:0:0:0:0:0:0abc', 'fe80::abc'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['1.2.3.4::', undefined],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['1:2:3:4:5:6:7:8::', undefined],
    ['1::2::3', undefined],
    [':1:2:3:4:5:6:7:8', undefined],
    ['1::2:', undefined],
    ['12345::', undefined],
    ['fe80::1%eth0', undefined],
    ['kc-bad', undefined],
    ['1'.repeat(1_000), undefined],
  ];
  test.each(cases)('%s', (text, canonical) => {
    const address = parseIp(text);
    expect(address && formatIp(address)).toBe(canonical);
  });
});

test('ipFamilyOf tells IPv4 from IPv6', () => {
  expect(['1.2.3.4', '::ffff:1.2.3.4', '::1'].map((text) => ipFamilyOf(parseIp(text)!))).toEqual([4, 4, 6]);
});

test('isValidIp refuses what software reads in two ways', () => {
  expect(['10.0.0.1', '2001:DB8::1', '010.0.0.1', '::ffff:1.2.3.4', 'x'].map(isValidIp)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

const texts = (errors: ReturnType<typeof validateIp>) => errors.map(describeFieldError);

test('validateIp words each fault', () => {
  expect(texts(validateIp('kc-bad', 'ip'))).toEqual([
    'ip: Invalid value: "kc-bad": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]);
  expect(texts(validateIp('01.2.3.4', 'ip'))).toEqual(['ip: Invalid value: "01.2.3.4": must not have leading 0s']);
  expect(texts(validateIp('::ffff:1.2.3.4', 'ip'))).toEqual([
    'ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]);
  expect(texts(validateIp('2001:DB8::1', 'ip'))).toEqual([
    'ip: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")',
  ]);
  expect(validateLegacyIp('2001:DB8::1', 'ip')).toEqual([]);
});

test('validateCidr words each fault', () => {
  expect(validateCidr('10.9.8.0/24', 'cidr')).toEqual([]);
  expect(texts(validateCidr('10.9.8.0', 'cidr'))).toEqual([
    'cidr: Invalid value: "10.9.8.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]);
  expect(texts(validateCidr('10.9.8.0/024', 'cidr'))).toEqual([
    'cidr: Invalid value: "10.9.8.0/024": must not have leading 0s in IP or prefix length',
  ]);
  expect(texts(validateCidr('10.9.8.7/24', 'cidr'))).toEqual([
    'cidr: Invalid value: "10.9.8.7/24": must not have bits set beyond the prefix length',
  ]);
  expect(validateInterfaceAddress('10.9.8.7/24', 'a')).toEqual([]);
  expect(['10.0.0.0/33', '::/129', '::/', '/8', '10.0.0.0/8'].map(isValidCidr)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('cidrContains compares the bits of the prefix', () => {
  const range = parseCidr('10.96.0.0/12')!;
  expect(['10.96.0.1', '10.111.255.255', '10.112.0.0', '::1'].map((ip) => cidrContains(range, parseIp(ip)!))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(formatCidr(parseCidr('2001:DB8::1/33')!)).toBe('2001:db8::/33');
});

test('warnings show the better text', () => {
  expect(warningsForIp('010.0.0.1', 'spec.ip')).toEqual([
    'spec.ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
  expect(warningsForIp('2001:DB8::1', 'spec.ip')).toEqual([
    'spec.ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ]);
  expect(warningsForIp('10.0.0.1', 'spec.ip')).toEqual([]);
  expect(warningsForCidr('10.0.0.1/8', 'c')).toEqual([
    'c: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
  ]);
  expect(warningsForCidr('2001:DB8::/32', 'c')).toEqual([
    'c: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
  ]);
});

test('domains with and without paths', () => {
  expect(validateFullyQualifiedDomainName('example.com.', 'd')).toEqual([]);
  expect(texts(validateFullyQualifiedDomainName('com', 'd'))).toEqual([
    'd: Invalid value: "com": should be a domain with at least two segments separated by dots',
  ]);
  expect(validateDomainPrefixedPath('acme.io/foo', 'd')).toEqual([]);
  expect(texts(validateDomainPrefixedPath('foo', 'd'))).toEqual([
    'd: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
  ]);
  expect(texts(validateDomainPrefixedKey('foo', 'd'))).toEqual([
    'd: Invalid value: "foo": must be a domain-prefixed key (such as "acme.io/foo")',
  ]);
});
