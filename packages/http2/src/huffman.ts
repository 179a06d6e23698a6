/**
 * The bytes whose codes have so many bits (RFC 7541, appendix B). Nothing more needs to be known: codes of one length are
 * numbers in sequence, in the order of their bytes, and the first of them follows the last shorter one.
 */
const BYTES_BY_BITS: Readonly<Record<number, string>> = {
  5: '48-50 97 99 101 105 111 115-116',
  6: '32 37 45-47 51-57 61 65 95 98 100 102-104 108-110 112 114 117',
  7: '58 66-87 89 106-107 113 118-122',
  8: '38 42 44 59 88 90',
  10: '33-34 40-41 63',
  11: '39 43 124',
  12: '35 62',
  13: '0 36 64 91 93 126',
  14: '94 125',
  15: '60 96 123',
  19: '92 195 208',
  20: '128 130-131 162 184 194 224 226',
  21: '153 161 167 172 176-177 179 209 216-217 227 229-230',
  22: '129 132-134 136 146 154 156 160 163-164 169-170 173 178 181 185-187 189-190 196 198 228 232-233',
  23: '1 135 137-141 143 147 149-152 155 157-158 165-166 168 174-175 180 182-183 188 191 197 231 239',
  24: '9 142 144-145 148 159 171 206 215 225 236-237',
  25: '199 207 234-235',
  26: '192-193 200-202 205 210 213 218-219 238 240 242-243 255',
  27: '203-204 211-212 214 221-223 241 244-248 250-254',
  28: '2-8 11-12 14-21 23-31 127 220 249',
  30: '10 13 22',
};
const MAX_BITS = 30;
/** No string can be longer than its code by more than the shortest code allows. */
const MIN_BITS = 5;

/** Codes of so many bits: the first of them, how many there are, and where in `BYTES` theirs begin. */
const FIRST = new Int32Array(MAX_BITS + 1);
const COUNT = new Int32Array(MAX_BITS + 1);
const PLACE = new Int32Array(MAX_BITS + 1);
const BYTES = new Uint8Array(256);
fillTables();

/** The text of a Huffman code. Throws an `Error` at bytes that are none. */
export function decodeHuffman(coded: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil((coded.length * 8) / MIN_BITS));
  let length = 0;
  let code = 0;
  let bits = 0;
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      if (++bits > MAX_BITS) throw new Error('a header has a code that nothing has');
      const place = code - FIRST[bits]!;
      if (place < 0 || place >= COUNT[bits]!) continue;
      text[length++] = BYTES[PLACE[bits]! + place]!;
      code = 0;
      bits = 0;
    }
  }
  // The last byte is filled up with ones.
  if (bits > 7 || code !== (1 << bits) - 1) throw new Error('a header ends within a code');
  return text.toString('latin1', 0, length);
}

function fillTables(): void {
  let code = 0;
  let place = 0;
  for (let bits = 1; bits <= MAX_BITS; bits++) {
    code *= 2;
    const bytes = bytesOf(BYTES_BY_BITS[bits]);
    FIRST[bits] = code;
    COUNT[bits] = bytes.length;
    PLACE[bits] = place;
    BYTES.set(bytes, place);
    code += bytes.length;
    place += bytes.length;
  }
}

function bytesOf(ranges = ''): number[] {
  return ranges.split(' ').flatMap((range) => {
    if (range === '') return [];
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: to! - from + 1 }, (_, index) => from + index);
  });
}
