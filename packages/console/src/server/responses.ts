import type { ApiResponse } from '@pintle/apiserver';
import { ConsoleError } from './errors.ts';

/** On every answer of the console. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

/** For answers that are data: should one ever be shown as a page, it can do nothing. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Policy of the page: its own files, its own server, styles that know the nonce. No inline code, no HTML from text. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const encoder = new TextEncoder();

export function jsonResponse(status: number, value: object, headers: Record<string, string> = {}): ApiResponse {
  return dataResponse({
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: encoder.encode(JSON.stringify(value)),
  });
}

/** The answer as data that no browser takes for a page. */
export function dataResponse(response: ApiResponse): ApiResponse {
  Object.assign(response.headers, ALWAYS, { 'content-security-policy': DATA_POLICY });
  return response;
}

export function pageResponse(html: string, nonce: string): ApiResponse {
  return {
    status: 200,
    headers: {
      ...ALWAYS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': pagePolicy(nonce),
    },
    body: encoder.encode(html),
  };
}

export function fileResponse(status: number, body: Uint8Array, headers: Record<string, string>): ApiResponse {
  return { status, headers: { ...ALWAYS, 'content-security-policy': DATA_POLICY, ...headers }, body };
}

/** Errors become a Status, which the page reads as it reads those of the API. */
export function refusal(error: unknown): ApiResponse {
  const isKnown = error instanceof ConsoleError;
  const code = isKnown ? error.status : 500;
  const message = isKnown ? error.message : 'Cannot answer: an unexpected error';
  const reason = isKnown ? error.failure.code : 'InternalError';
  return jsonResponse(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code });
}
