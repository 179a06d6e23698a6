import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { ApiRequest } from '../request/exchange.ts';
import { serveContent } from './serve-content.ts';

const body = Buffer.from('{}');
const clock = new SteppedClock({ startMs: Date.parse('2026-01-02T03:04:05.600Z') });
const SEEN = 'Fri, 02 Jan 2026 03:04:05 GMT';

test.each([
  ['GET', {}, 200],
  ['GET', { 'if-none-match': '"A"' }, 304],
  ['GET', { 'if-none-match': 'W/"A"' }, 304],
  ['GET', { 'if-none-match': '"x", "A"' }, 304],
  ['HEAD', { 'if-none-match': '*' }, 304],
  ['GET', { 'if-none-match': 'A' }, 200],
  ['POST', { 'if-none-match': '"A"' }, 412],
  ['GET', { 'if-match': '"A"' }, 200],
  ['GET', { 'if-match': '"x"' }, 412],
  ['GET', { 'if-modified-since': SEEN }, 304],
  ['GET', { 'if-unmodified-since': SEEN }, 200],
  ['GET', { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 412],
  ['GET', { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT', 'if-match': '"A"' }, 200],
  ['POST', { 'if-modified-since': SEEN }, 200],
  ['GET', { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
  ['GET', { 'if-modified-since': SEEN, 'if-none-match': '"x"' }, 200],
])('%s with %j is %d', (method, headers, status) => {
  const answer = serveContent({ method, headers } as unknown as ApiRequest, { body, clock, hash: 'A' });
  expect(answer).toMatchObject({ status, headers: { etag: '"A"' } });
  // What has a tag needs no age to be known by.
  expect(answer.headers['last-modified']).toBe(status === 304 ? undefined : SEEN);
});

test('what has no tag is known by its age alone', () => {
  const ask = (headers: object) =>
    serveContent({ method: 'GET', headers } as unknown as ApiRequest, { body, clock, sniffed: 'text/plain' });
  expect(ask({ 'if-none-match': '""' })).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } });
  expect(ask({ 'if-none-match': '*' }).status).toBe(304);
  expect(ask({}).headers.etag).toBeUndefined();
});

test.each([
  ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
  ['bytes=7-', 206, 'bytes 7-9/10', '789'],
  ['bytes=-2', 206, 'bytes 8-9/10', '89'],
  ['bytes=5-99', 206, 'bytes 5-9/10', '56789'],
  ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
  ['bytes=10-', 416, 'bytes */10', 'invalid range: failed to overlap\n'],
  ['bytes=3-1', 416, undefined, 'invalid range\n'],
  ['lines=1-2', 416, undefined, 'invalid range\n'],
  // Several parts would be a document of another kind; all of it is right as well.
  ['bytes=0-1,3-4', 200, undefined, '0123456789'],
])('the part %j of a document is %d', (range, status, part, text) => {
  const request = { method: 'GET', headers: { range } } as unknown as ApiRequest;
  const answer = serveContent(request, { body: Buffer.from('0123456789'), clock, hash: 'A' });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-range']).toBe(part);
  expect(Buffer.from(answer.body as Uint8Array).toString()).toBe(text);
  expect(answer.headers['accept-ranges']).toBe(status === 416 ? undefined : 'bytes');
});
