import { PATHS, REVEAL_HEADER } from '../../protocol.ts';
import type { Json } from './objects.ts';
import { record } from './objects.ts';
import { SharedWatches } from './shared-watches.ts';

export interface StatusCause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

/** An answer of the API, or of the console, that is a refusal. Status 0: there was no answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];

  constructor(status: number, message: string, reason = '', causes: readonly StatusCause[] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }
}

export interface ApiOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** A person asked to see the values of this Secret. */
  readonly isReveal?: boolean;
}

export const JSON_TYPE = 'application/json';
export const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
export const METADATA_LIST_TYPE = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
export const METADATA_TYPE = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

/** Called when the session is over. */
export const onSignedOut = new Set<() => void>();

/** One request to the API, as the session's user. Throws ApiError. */
export async function api(path: string, options: ApiOptions = {}): Promise<Json> {
  return parseJson(await apiText(path, options));
}

export async function apiText(path: string, options: ApiOptions = {}): Promise<string> {
  const response = await send(`${PATHS.api}${path}`, options);
  return await response.text();
}

/** Opens a watch; the body is a line of JSON for each event. */
export async function openWatch(path: string, options: ApiOptions): Promise<ReadableStream<Uint8Array>> {
  const response = await send(`${PATHS.watch}${path}`, { ...options, method: 'POST' });
  return response.body ?? new ReadableStream();
}

const shared = new SharedWatches({
  open: async (signal) => (await send(PATHS.watches, { method: 'POST', signal })).body ?? new ReadableStream(),
  change: (stream, change) => send(`${PATHS.watches}/${stream}`, { method: 'POST', body: JSON.stringify(change) }),
});

interface SharedOptions extends Pick<ApiOptions, 'query' | 'accept'> {
  readonly signal: AbortSignal;
}

/** As `openWatch`, in a stream with others: a connection carries a hundred streams, and all pages of a browser share it. */
export async function openSharedWatch(
  path: string,
  { query, accept = JSON_TYPE, signal }: SharedOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { status, body } = await shared.watch({ path, query: `${searchOf(query)}`, accept }, signal);
  if (status === 200) return body;
  throw refused(status, await new Response(body).text());
}

function searchOf(query: ApiOptions['query'] = {}): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, value);
  return search;
}

export async function send(path: string, options: ApiOptions = {}): Promise<Response> {
  const { method = 'GET', query, accept = JSON_TYPE, contentType = JSON_TYPE, body, signal, isReveal } = options;
  const search = searchOf(query);
  const headers: Record<string, string> = { accept };
  if (body !== undefined) headers['content-type'] = contentType;
  if (isReveal) headers[REVEAL_HEADER] = '1';
  const init: RequestInit = { method, headers, cache: 'no-store', redirect: 'error', credentials: 'same-origin' };
  if (body !== undefined) init.body = body;
  if (signal) init.signal = signal;
  const response = await fetch(search.size > 0 ? `${path}?${search}` : path, init).catch((error: unknown) => {
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(0, error instanceof Error ? error.message : String(error));
  });
  if (response.ok) return response;
  throw refused(response.status, await response.text().catch(() => ''));
}

function refused(status: number, text: string): ApiError {
  if (status === 401) for (const listener of onSignedOut) listener();
  try {
    const { message, reason, details } = record(JSON.parse(text)) ?? {};
    return new ApiError(status, String(message ?? text), String(reason ?? ''), causesIn(details));
  } catch {
    return new ApiError(status, text.trim() || `HTTP ${status}`);
  }
}

function causesIn(details: unknown): StatusCause[] {
  const causes = record(details)?.causes;
  return (Array.isArray(causes) ? causes : []).map((each) => {
    const { field, message, reason } = record(each) ?? {};
    return { field: String(field ?? ''), message: String(message ?? ''), reason: String(reason ?? '') };
  });
}

interface WithSource {
  readonly source?: string;
}

/** As JSON.parse; integers that a number cannot hold become `bigint`, where the browser shows their text. */
export function parseJson(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const exact = (_key: string, value: unknown, context?: WithSource): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context!.source!)
      : value;
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
}

/** As JSON.stringify, with integers of any size. */
export function printJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]) => `${JSON.stringify(key)}:${printJson(each)}`)
    .join(',')}}`;
}
