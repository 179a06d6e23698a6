import { describe, expect, test } from 'vitest';
import { ResponseReader } from './response-reader.ts';

interface Read {
  status?: number;
  headers?: Record<string, unknown>;
  isKeptAlive?: boolean;
  body: string;
  isEnded: boolean;
  /** Bytes that belong to no response. */
  beyond: number;
}

/** Reads the text, cut into pieces of so many bytes; `isClosed`: nothing more comes. */
function read(text: string, { step = text.length, method = 'GET', isClosed = true } = {}): Read {
  const found: Read = { body: '', isEnded: false, beyond: 0 };
  const reader = new ResponseReader(method, {
    head: ({ status, headers, isKeptAlive }) => Object.assign(found, { status, headers: { ...headers }, isKeptAlive }),
    chunk: (bytes) => {
      found.body += bytes.toString('latin1');
    },
    end: () => {
      found.isEnded = true;
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += step) {
    const piece = Buffer.from(bytes.subarray(at, at + step));
    found.beyond += piece.length - reader.read(piece);
    // Nobody may have kept what was lent.
    piece.fill(0);
  }
  if (isClosed) reader.close();
  return found;
}

const lines = (...all: string[]) => all.join('\r\n');

describe('a response is the same however it is cut', () => {
  const sized = lines('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 11', '', 'hello world');
  const chunked = lines(
    'HTTP/1.1 200 OK',
    'Transfer-Encoding: chunked',
    '',
    '5',
    'hello',
    '6;name="v"',
    ' world',
    '000',
    'X-Sum: 1',
    '',
    '',
  );
  const put = lines('HTTP/1.1 100 Continue', '', 'HTTP/1.1 103 Early Hints', 'Link: </x>', '', sized);
  for (const [name, text] of Object.entries({ sized, chunked, put })) {
    test(name, () => {
      for (let step = 1; step <= text.length; step++) {
        const { status, body, isEnded, isKeptAlive, beyond } = read(text, { step });
        expect({ status, body, isEnded, isKeptAlive, beyond }).toEqual({
          status: 200,
          body: 'hello world',
          isEnded: true,
          isKeptAlive: true,
          beyond: 0,
        });
      }
    });
  }

  test('what comes after it is not taken', () => {
    for (const step of [1, 7, 1_000]) expect(read(`${sized}HTTP/1.1 200 OK\r\n`, { step }).beyond).toBe(17);
    expect(read(`${chunked}x`).beyond).toBe(1);
  });
});

test('responses without a body end with their head, whatever length they speak of', () => {
  const head = lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', '');
  expect(read(head, { method: 'HEAD' })).toMatchObject({ isEnded: true, body: '' });
  for (const status of [204, 304]) {
    expect(read(lines(`HTTP/1.1 ${status} x`, '', ''))).toMatchObject({ status, isEnded: true, isKeptAlive: true });
  }
  expect(read(lines('HTTP/1.1 200', 'Content-Length: 0', '', ''))).toMatchObject({ isEnded: true });
});

test('a body of unknown length ends with the connection, which is then of no more use', () => {
  const text = lines('HTTP/1.1 200 OK', '', 'all there is');
  expect(read(text, { isClosed: false })).toMatchObject({ body: 'all there is', isEnded: false, isKeptAlive: false });
  expect(read(text)).toMatchObject({ body: 'all there is', isEnded: true });
});

test('the server says whether it takes another request', () => {
  const answer = (version: string, connection?: string) =>
    read(
      lines(
        `HTTP/1.${version} 200 OK`,
        'Content-Length: 0',
        ...(connection ? [`Connection: ${connection}`] : []),
        '',
        '',
      ),
    ).isKeptAlive;
  expect(answer('1')).toBe(true);
  expect(answer('1', 'Upgrade, Close')).toBe(false);
  expect(answer('0')).toBe(false);
  expect(answer('0', 'Keep-Alive')).toBe(true);
});

test('headers have lower-case names; several of a name are joined, warnings are kept apart', () => {
  const { headers } = read(
    lines(
      'HTTP/1.1 200 OK',
      'X-A: 1',
      'x-a:\t2 ',
      'Warning: 299 - "a, b"',
      'Warning: 299 - "c"',
      '__proto__: plain',
      'Content-Length: 0',
      'Content-Length: 0',
      '',
      '',
    ),
  );
  expect(headers).toMatchObject({ 'x-a': '1, 2', warning: ['299 - "a, b"', '299 - "c"'], 'content-length': '0' });
  expect(Object.keys(headers!)).toContain('__proto__');
  expect(({} as Record<string, unknown>).plain).toBeUndefined();
});

describe('bytes that are no response are refused', () => {
  const withHeaders = (...headers: string[]) => lines('HTTP/1.1 200 OK', ...headers, '', '');
  const bodied = (...body: string[]) => lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', ...body);
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['another version', lines('HTTP/2 200', '', '')],
    ['no status', lines('HTTP/1.1 OK', '', '')],
    ['a protocol nobody asked for', lines('HTTP/1.1 101 Switching Protocols', 'Upgrade: x', '', '')],
    ['a header without a name', withHeaders(': x')],
    ['a header without a colon', withHeaders('X-A')],
    ['a space before the colon', withHeaders('Content-Length : 5')],
    ['a header that goes on in the next line', withHeaders('X-A: 1', ' Content-Length: 5')],
    ['a control in a header', withHeaders('X-A: a\u0000b')],
    ['a line feed alone', 'HTTP/1.1 200 OK\nX-A: 1\n\r\n\r\n'],
    ['two lengths', withHeaders('Content-Length: 5', 'Content-Length: 6')],
    ['a list of lengths', withHeaders('Content-Length: 5, 5')],
    ['a length that is no number', withHeaders('Content-Length: +5')],
    ['a length that is no number where nothing follows', lines('HTTP/1.1 204 No Content', 'Content-Length: x', '', '')],
    ['a length beyond all numbers', withHeaders(`Content-Length: ${'9'.repeat(30)}`)],
    ['a length and chunks', withHeaders('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['an unknown encoding', withHeaders('Transfer-Encoding: gzip, chunked')],
    ['chunked twice', withHeaders('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
    ['a chunk without a length', bodied('', 'x')],
    ['a chunk of a length that is none', bodied('0x5', 'hello')],
    ['a chunk of a negative length', bodied('-5', 'hello')],
    ['a chunk of a length beyond all numbers', bodied('f'.repeat(20), 'hello')],
    ['a chunk that is longer than it says', bodied('4', 'hello', '0', '', '')],
    ['a chunk whose length ends in a line feed alone', bodied('5\nhello')],
    ['a length of a chunk that does not end', bodied(`5;${'x'.repeat(20_000)}`)],
    ['a head that does not end', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(70_000)}`],
    ['headers after the body that do not end', bodied('0', ...Array<string>(2_000).fill('X-Aaaaaaa: 1'), '', '')],
    ['a body that ends early', lines('HTTP/1.1 200 OK', 'Content-Length: 5', '', 'hell')],
    ['chunks that end early', bodied('5', 'hello', '')],
    ['nothing', ''],
  ])('%s', (_, text) => {
    for (const step of [1, 1_000, 100_000]) expect(() => read(text, { step })).toThrow(Error);
  });
});

test('a long head that comes byte by byte is refused as soon as it is too long', () => {
  const reader = new ResponseReader('GET', { head: () => undefined, chunk: () => undefined, end: () => undefined });
  let taken = 0;
  expect(() => {
    for (;;) taken += reader.read(Buffer.from('x'.repeat(100)));
  }).toThrow('too long');
  expect(taken).toBeLessThanOrEqual(64 * 1024);
});
