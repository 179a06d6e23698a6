import type { Clock } from '@pintle/async';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { headerOf, textResponse } from '../request/exchange.ts';
import { readRange } from './byte-range.ts';

/** A document with its metadata. */
export interface Content {
  readonly body: Uint8Array;
  readonly clock: Clock;
  /** Hash for the ETag. Absent for documents without one. */
  readonly hash?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content type that is sent with the document only, not with 304. */
  readonly sniffed?: string;
}

/** Returns a document or a range of it, 304 when the client has it by ETag or date, or 412 for a failed condition. */
export function serveContent(request: ApiRequest, content: Content): ApiResponse {
  const { body, clock, hash, sniffed } = content;
  const modifiedMs = modifiedAt(body, clock);
  const headers = {
    ...content.headers,
    ...(hash !== undefined && { etag: `"${hash}"` }),
    'last-modified': new Date(modifiedMs).toUTCString(),
  };
  switch (verdictOn(request, headers.etag, modifiedMs)) {
    case 'failed':
      return { status: 412, headers, body: new Uint8Array() };
    case 'unchanged': {
      const { 'content-type': _type, 'last-modified': age, ...rest } = headers as Record<string, string>;
      // Documents with an ETag need no date.
      const known = hash === undefined && age !== undefined ? { ...rest, 'last-modified': age } : rest;
      return { status: 304, headers: known, body: new Uint8Array() };
    }
    case 'wanted':
      return sendPart(request, { ...headers, ...(sniffed && { 'content-type': sniffed }) }, body);
  }
}

function sendPart(request: ApiRequest, headers: Record<string, string>, body: Uint8Array): ApiResponse {
  const range = readRange(headerOf(request, 'range'), body.length);
  const whole = { ...headers, 'accept-ranges': 'bytes' };
  if (range === undefined) return { status: 200, headers: whole, body, isShared: true };
  if ('problem' in range) {
    const found = range.isPast ? { 'content-range': `bytes */${body.length}` } : {};
    return textResponse(416, `${range.problem}\n`, found);
  }
  const { first, last } = range;
  const part = { ...whole, 'content-range': `bytes ${first}-${last}/${body.length}` };
  return { status: 206, headers: part, body: body.subarray(first, last + 1) };
}

/** Times at which documents were first served. */
const modifications = new WeakMap<Uint8Array, number>();

function modifiedAt(body: Uint8Array, clock: Clock): number {
  // Headers have whole seconds.
  const modifiedMs = modifications.get(body) ?? Math.floor(clock.now() / 1000) * 1000;
  modifications.set(body, modifiedMs);
  return modifiedMs;
}

type Verdict = 'wanted' | 'unchanged' | 'failed';

function verdictOn(request: ApiRequest, etag: string | undefined, modifiedMs: number): Verdict {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const wanted = headerOf(request, 'if-match');
  if (wanted && !tagsIn(wanted).some((tag) => tag === '*' || tag === etag)) return 'failed';
  if (!wanted && modifiedMs > Date.parse(headerOf(request, 'if-unmodified-since') ?? '')) return 'failed';
  const known = headerOf(request, 'if-none-match');
  if (known) {
    const isKnown = tagsIn(known).some(
      (tag) => tag === '*' || (etag !== undefined && tag.replace(/^W\//, '') === etag),
    );
    return !isKnown ? 'wanted' : isRead ? 'unchanged' : 'failed';
  }
  const since = Date.parse(headerOf(request, 'if-modified-since') ?? '');
  return isRead && modifiedMs <= since ? 'unchanged' : 'wanted';
}

function tagsIn(header: string): string[] {
  return header.split(',', 32).map((tag) => tag.trim());
}
