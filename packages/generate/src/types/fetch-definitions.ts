import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { GenerateError } from '../errors.ts';
import { definitionsIn, readDefinitions } from './read-definitions.ts';

export interface FetchOptions {
  /** Default: 16 MiB. */
  readonly maxBytes?: number;
  /** Time for the whole download, with redirects. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Function that sends requests, for tests. */
  readonly fetch?: typeof globalThis.fetch;
}

const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/**
 * Downloads the CRDs of an https: or file: URL, sorted by name; http: is allowed for this machine only. Follows redirects, but
 * not to another scheme.
 */
export async function fetchDefinitions(from: string, options: FetchOptions = {}): Promise<CustomResourceDefinition[]> {
  const url = URL.canParse(from) ? new URL(from) : undefined;
  if (url?.protocol === 'file:') return readDefinitions(from);
  if (url === undefined || !isSafe(url)) throw unfit(from, 'use https: or file:, or http: for this machine');
  const { timeoutMs = TIMEOUT_MS } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const found = definitionsIn(from, await textAt(url, signal, options));
    if (found.length === 0) throw unfit(from, 'it has no CustomResourceDefinition');
    return found;
  } catch (error) {
    if (error instanceof GenerateError) throw error;
    if (signal.aborted) throw unfit(from, `the response was not complete within ${timeoutMs / 1000} s`, error);
    throw unfit(from, reasonOf(error), error);
  }
}

const LOCAL: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOCAL.has(hostname));
}

async function textAt(first: URL, signal: AbortSignal, options: FetchOptions): Promise<string> {
  const { fetch = globalThis.fetch, maxBytes = MAX_BYTES } = options;
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = { accept: 'application/yaml, application/json, text/plain, */*;q=0.1', 'user-agent': 'pintle' };
    const response = await fetch(url, { signal, redirect: 'manual', headers });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return await bodyOf(first.href, response, maxBytes);
    await response.body?.cancel();
    const next = new URL(location, url);
    if (next.protocol !== url.protocol || !isSafe(next))
      throw unfit(first.href, `it redirects to ${next.protocol}//${next.host}`);
    url = next;
  }
  throw unfit(first.href, `it redirects more than ${MAX_REDIRECTS} times`);
}

async function bodyOf(from: string, response: Response, maxBytes: number): Promise<string> {
  const { status, headers, body } = response;
  const isPage = /^text\/html\b/.test(headers.get('content-type') ?? '');
  if (status !== 200 || isPage) await body?.cancel();
  if (status !== 200) throw unfit(from, `the server responded with status ${status}`);
  if (isPage) throw unfit(from, 'it is a web page; pass the URL of the file itself');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw unfit(from, `it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the message of the cause, since that of fetch says only that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string };
  return inner || code || message;
}

function unfit(path: string, detail: string, cause?: unknown): GenerateError {
  return new GenerateError({ code: 'BadSource', path, detail }, { cause });
}
