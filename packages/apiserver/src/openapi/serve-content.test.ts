import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { ApiRequest } from '../http/exchange.ts';
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
  ['POST', { 'if-modified-since': SEEN }, 200],
  ['GET', { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
  ['GET', { 'if-modified-since': SEEN, 'if-none-match': '"x"' }, 200],
])('%s with %j is %d', (method, headers, status) => {
  const answer = serveContent({ method, headers } as unknown as ApiRequest, { body, clock, hash: 'A' });
  expect(answer).toMatchObject({ status, headers: { etag: '"A"', 'last-modified': SEEN } });
});

test('what has no tag is known by its age alone', () => {
  const ask = (headers: object) =>
    serveContent({ method: 'GET', headers } as unknown as ApiRequest, { body, clock, sniffed: 'text/plain' });
  expect(ask({ 'if-none-match': '""' })).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } });
  expect(ask({ 'if-none-match': '*' }).status).toBe(304);
  expect(ask({}).headers.etag).toBeUndefined();
});
