import { describe, expect, test } from 'vitest';
import type { Field } from './headers.ts';
import { encodeHeaders, HeaderDecoder } from './headers.ts';

const decoder = (maxBytes = 64 * 1024) => new HeaderDecoder({ maxBytes, maxFields: 4_000 });
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function check(blocks: readonly (readonly [hex: string, ...fields: string[]])[], before = ''): void {
  const reading = decoder();
  if (before !== '') reading.decode(bytes(before));
  for (const [hex, ...fields] of blocks) {
    expect(reading.decode(bytes(hex))?.map(([name, value]) => `${name}: ${value}`)).toEqual(fields);
  }
}

describe('the examples of RFC 7541, appendix C', () => {
  const request = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
  const secure = [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com'];
  const kept = ['cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'];
  const last = [
    ':status: 200',
    'cache-control: private',
    'date: Mon, 21 Oct 2013 20:13:22 GMT',
    'location: https://www.example.com',
    'content-encoding: gzip',
    'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
  ];
  const SMALL_TABLE = '3fe101';

  test('fields', () =>
    check([
      ['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', 'custom-key: custom-header'],
      ['040c 2f73 616d 706c 652f 7061 7468', ':path: /sample/path'],
      ['1008 7061 7373 776f 7264 0673 6563 7265 74', 'password: secret'],
      ['82', ':method: GET'],
    ]));

  test('requests', () =>
    check([
      ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', ...request],
      ['8286 84be 5808 6e6f 2d63 6163 6865', ...request, 'cache-control: no-cache'],
      [
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
        ...secure,
        'custom-key: custom-value',
      ],
    ]));

  test('requests in Huffman code', () =>
    check([
      ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', ...request],
      ['8286 84be 5886 a8eb 1064 9cbf', ...request, 'cache-control: no-cache'],
      ['8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf', ...secure, 'custom-key: custom-value'],
    ]));

  test('responses, for which a table of 256 bytes has no room', () =>
    check(
      [
        [
          `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120
           474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`.replaceAll(/\s/g, ''),
          ':status: 302',
          ...kept,
        ],
        ['4803 3330 37c1 c0bf', ':status: 307', ...kept],
        [
          `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738
           666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33
           3630 303b 2076 6572 7369 6f6e 3d31`.replaceAll(/\s/g, ''),
          ...last,
        ],
      ],
      SMALL_TABLE,
    ));

  test('responses in Huffman code', () =>
    check(
      [
        [
          `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718
           63c7 8f0b 97c8 e9ae 82ae 43d3`.replaceAll(/\s/g, ''),
          ':status: 302',
          ...kept,
        ],
        ['4883 640e ffc1 c0bf', ':status: 307', ...kept],
        [
          `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7
           b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`.replaceAll(
            /\s/g,
            '',
          ),
          ...last,
        ],
      ],
      SMALL_TABLE,
    ));
});

test('what is encoded is what is decoded', () => {
  const fields: Field[] = [
    [':method', 'GET'],
    [':path', '/'],
    [':path', `/${'a'.repeat(20_000)}`],
    ['accept', ''],
    ['x-empty', ''],
    ['authorization', 'Bearer token'],
    ['x-bytes', String.fromCharCode(...Array.from({ length: 128 }, (_, index) => 128 + index))],
    ['x'.repeat(127), 'y'.repeat(126)],
    ['x'.repeat(128), 'y'.repeat(255)],
  ];
  expect(decoder().decode(encodeHeaders(fields))).toEqual(fields);
});

test('nobody on the way may remember a secret', () => {
  expect(encodeHeaders([['authorization', 'ab']]).toString('hex')).toBe('1f08026162');
  expect(encodeHeaders([['accept', 'ab']]).toString('hex')).toBe('0f04026162');
});

test.each([
  ['no field', '80'],
  ['a field that is not there', 'be'],
  ['a number that does not end', 'ffffffffffffff'],
  ['a number that is cut', 'ff'],
  ['a text that is cut', '0005616263'],
  ['a name without a value', '000161'],
  ['a large table', '3fe21f'],
  ['a table that changes in the middle', '8220'],
  ['a text whose code is cut', '00016181c0'],
  ['a text that is filled up by a byte', '000161821fff'],
  ['a text that says it ends', '00016184ffffffff'],
])('%s is no header block', (_, hex) => {
  expect(() => decoder().decode(bytes(hex))).toThrow(expect.objectContaining({ reason: 'COMPRESSION_ERROR' }));
});

test('a small block that stands for very much is too much, and the next one is read', () => {
  const reading = decoder();
  const long = Buffer.concat([bytes('400161'), bytes('7f811e'), Buffer.alloc(3_968, 'x')]);
  expect(reading.decode(long)).toHaveLength(1);
  expect(reading.decode(Buffer.alloc(60_000, 0xbe))).toBe(undefined);
  expect(reading.decode(bytes('be'))).toHaveLength(1);
});

test('a field that is larger than the table empties it', () => {
  const reading = decoder();
  reading.decode(bytes('4001610162'));
  reading.decode(Buffer.concat([bytes('400161'), bytes('7f811f'), Buffer.alloc(4_096, 'x')]));
  expect(() => reading.decode(bytes('be'))).toThrow('not in the table');
});
