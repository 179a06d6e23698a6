import { threadTimer } from '@pintle/async/testing';
import { expect, test } from 'vitest';
import { formatCheck, isKnownFormat } from './index.ts';

const id = '0fbe8e2c-3c5a-4b7e-8f7f-9a3a5a1a2b3c';

const cases: Readonly<Record<string, { good: readonly string[]; bad: readonly string[] }>> = {
  bsonobjectid: { good: ['507f1f77bcf86cd799439011'], bad: ['xyz', ''] },
  uri: {
    good: ['https://example.com/a?b=c', '/path', '*', 'mailto:me', 'https://[::1]:80/', 'http://me:pw@host/%20x'],
    bad: ['no address', 'example.com/path', '', ':x', 'http://a b/', 'http://host:port/', '/%zz', 'http://h\u0001/'],
  },
  email: {
    good: [
      'me@example.com',
      'Me <me@example.com>',
      '"a b"@example.com',
      'me(comment)@example.com',
      'é@x',
      'a@[1.2.3.4]',
    ],
    bad: ['nobody', 'a@', '', 'a..b@c', '.a@b', 'Me <me@example.com', 'a@b c', '"open@x', 'a@b(open'],
  },
  hostname: {
    good: ['a.example.com', 'localhost', 'a-b', '1a.example.com', 'ž.example.com'],
    bad: ['a_b', '-a.com', 'example..com', '1.2.3.4', '', 'ab-c', `${'a'.repeat(64)}.com`],
  },
  ipv4: { good: ['10.0.0.1', '010.0.0.1', '::ffff:10.0.0.1'], bad: ['10.0.0.256', '10.0.0', '::1', '', '1.2.3.4.5'] },
  ipv6: {
    good: ['::1', '::', '2001:db8::ff00:42:8329', '::ffff:10.0.0.1', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7::'],
    bad: [
      '10.0.0.1',
      'fe80::1%eth0',
      ':::',
      '1:2:3:4:5:6:7:8::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '12345::',
      '::ffff:010.0.0.1',
    ],
  },
  cidr: {
    good: ['10.0.0.0/8', '10.0.0.7/8', '2001:db8::/32', '010.0.0.0/8'],
    bad: ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8x', '/8'],
  },
  mac: {
    good: ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab', '01:23:45:67:89:ab:cd:ef'],
    bad: ['01:23:45', '', '01:23-45:67:89:ab', '01:23:45:67:89:ag'],
  },
  uuid: { good: [id, id.toUpperCase(), id.replaceAll('-', '')], bad: ['0fbe8e2c', `${id.slice(0, -1)}g`] },
  uuid3: { good: [id.replace('-4', '-3')], bad: [id] },
  uuid4: { good: [id], bad: [id.replace('-8', '-c')] },
  uuid5: { good: [id.replace('-4', '-5')], bad: [id] },
  isbn: { good: ['978-0321751041', '0321751043'], bad: ['123'] },
  isbn10: { good: ['0321751043', '0-8044-2957-X'], bad: ['0321751044'] },
  isbn13: { good: ['978-0321751041'], bad: ['978-0321751042', '0321751043'] },
  creditcard: { good: ['4111 1111 1111 1111', '378282246310005'], bad: ['1234', '4111 1111 1111 1112'] },
  ssn: { good: ['111-11-1111', '111 11 1111'], bad: ['11-11', '111111111'] },
  hexcolor: { good: ['#FFaa00', 'fff'], bad: ['red', '#12345'] },
  rgbcolor: { good: ['rgb(255,100,0)', 'rgb( 1 , 2 , 3 )'], bad: ['rgb(1,2)', 'rgb(300,0,0)', 'rgb(01,0,0)'] },
  byte: { good: ['aGVsbG8=', 'YQ==', 'YWJj'], bad: ['a', '!!!!', 'aGVsbG8', 'aGVs bG8=', ''] },
  password: { good: ['', 'anything'], bad: [] },
  date: { good: ['2024-02-29', '0000-01-01'], bad: ['2023-02-29', '2024-2-9', '', '2024-13-01', '2024-04-31'] },
  'date-time': {
    good: ['2024-05-06T07:08:09Z', '2024-05-06t07:08:09z', '2024-05-06T07:08:09.123456789+02:00'],
    bad: ['2024-05-06 07:08:09', '2024-05-06T07:08Z', '2024-05-06T25:00:00Z', '2024-05-06T07:08:09', ''],
  },
  duration: {
    good: ['1h30m', '22 ns', '3 days', '1.5h', '-5s', 'P1D', '0', '2 weeks'],
    bad: ['5', 'one hour', '', '99999999999999999999 days', '5 parsecs'],
  },
  'k8s-short-name': { good: ['my-name', '0'], bad: ['My', '-a', 'a.b', 'a'.repeat(64)] },
  'k8s-long-name': { good: ['my-name.example.com', `${'a'.repeat(64)}.b`], bad: ['a..b', 'A.b', 'a'.repeat(254)] },
};

test.each(Object.entries(cases))('%s', (name, { good, bad }) => {
  const check = formatCheck(name)!;
  expect(good.filter((text) => !check(text))).toEqual([]);
  expect(bad.filter((text) => check(text))).toEqual([]);
});

test('a format belongs to a type', () => {
  expect(isKnownFormat('integer', 'int32')).toBe(true);
  expect(isKnownFormat('string', 'int32')).toBe(false);
  expect(isKnownFormat('object', 'uuid')).toBe(false);
  expect(isKnownFormat(undefined, 'uuid')).toBe(true);
  expect(formatCheck('colour')).toBeUndefined();
});

test('no check is slow on a hostile text', () => {
  const texts = ['1', 'a', '-', '.', ':', '(', '"\\', ' ', 'a.', '1 ', '::', '%', 'a@', '9'].map((part) =>
    part.repeat(Math.ceil(200_000 / part.length)),
  );
  const computedMs = threadTimer();
  for (const name of Object.keys(cases)) for (const text of texts) formatCheck(name)!(text);
  expect(computedMs()).toBeLessThan(4_000);
});
