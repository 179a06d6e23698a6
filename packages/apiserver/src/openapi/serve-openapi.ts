import type { Clock } from '@pintle/async';
import { table } from '@pintle/machinery/table';
import { accepts } from '../discovery/answer-document.ts';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import { parseAccept } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { OpenApiV2 } from './openapi-v2.ts';
import { addressOf, OpenApiV3 } from './openapi-v3.ts';
import { serveContent } from './serve-content.ts';

interface OpenApiSources {
  readonly catalog: DiscoveryCatalog;
  readonly clock: Clock;
}

/** Documents by catalog, cached as long as the catalog exists. */
const documents = new WeakMap<DiscoveryCatalog, { readonly v2: OpenApiV2; readonly v3: OpenApiV3 }>();

const YEAR_MS = 365 * 24 * 3600 * 1000;
const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Accepted types. client-go sends the former spelling; responses have the new one. */
const V2_TYPES: Readonly<Record<string, 'json' | 'protobuf'>> = table({
  [JSON_TYPE]: 'json',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf': 'protobuf',
  [V2_PROTOBUF]: 'protobuf',
});

const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const V3_TYPES: Readonly<Record<string, 'json' | 'protobuf'>> = table({
  [JSON_TYPE]: 'json',
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf': 'protobuf',
  [V3_PROTOBUF]: 'protobuf',
});

/** Serves `/openapi/v2`, `/openapi/v3` and the documents below. */
export function serveOpenApi(
  sources: OpenApiSources,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  if (path === '/openapi/v2') return serveV2(sources, state);
  if (path === '/openapi/v3') return serveIndex(sources, state);
  if (path.startsWith('/openapi/v3/')) return serveDocument(sources, state, path.slice('/openapi/v3/'.length));
  return undefined;
}

async function serveV2({ catalog, clock }: OpenApiSources, state: RequestState): Promise<ApiResponse> {
  const type = firstAccepted(state, Object.keys(V2_TYPES));
  const vary = 'Accept-Encoding, Accept';
  if (type === undefined) return empty(406, { vary });
  const format = V2_TYPES[type]!;
  const { body, hash } = await documentsOf(catalog).v2.document(format);
  const headers = { 'content-type': format === 'json' ? JSON_TYPE : V2_PROTOBUF, vary };
  return serveContent(state.request, { body, clock, hash, headers });
}

/** Serves the index, with Kubernetes' content type and without an ETag. */
async function serveIndex({ catalog, clock }: OpenApiSources, state: RequestState): Promise<ApiResponse> {
  const { body } = await documentsOf(catalog).v3.index();
  return serveContent(state.request, { body, clock, sniffed: 'text/plain; charset=utf-8' });
}

/** Serves a document: as immutable with its hash in the query, and as a redirect to its hash with another one. */
async function serveDocument(
  { catalog, clock }: OpenApiSources,
  state: RequestState,
  name: string,
): Promise<ApiResponse> {
  const { v3 } = documentsOf(catalog);
  const document = await v3.document(name);
  if (document === undefined) return empty(404, {});
  const vary = { vary: 'Accept' };
  const type = firstAccepted(state, Object.keys(V3_TYPES));
  if (type === undefined) return empty(406, vary);
  const isJson = V3_TYPES[type] === 'json';
  const { hash } = document;
  const body = isJson ? document.body : await v3.protobufOf(document);
  const headers = { 'content-type': isJson ? JSON_TYPE : V3_PROTOBUF, ...vary };
  const asked = state.query.get('hash') ?? '';
  if (asked !== '' && asked !== hash)
    return empty(301, { ...headers, etag: `"${hash}"`, location: addressOf(name, hash) });
  const kept = asked !== '' && {
    'cache-control': 'public, immutable',
    expires: new Date(clock.now() + YEAR_MS).toUTCString(),
  };
  return serveContent(state.request, { body, clock, hash, headers: { ...headers, ...kept } });
}

function documentsOf(catalog: DiscoveryCatalog): { readonly v2: OpenApiV2; readonly v3: OpenApiV3 } {
  const known = documents.get(catalog) ?? { v2: new OpenApiV2(catalog), v3: new OpenApiV3(catalog) };
  documents.set(catalog, known);
  return known;
}

function firstAccepted({ request }: RequestState, types: readonly string[]): string | undefined {
  const accept = headerOf(request, 'accept');
  if (accept === undefined || accept.trim() === '') return types[0];
  for (const clause of parseAccept(accept)) {
    const type = types.find((candidate) => accepts(clause, candidate));
    if (type !== undefined) return type;
  }
  return undefined;
}

function empty(status: number, headers: Record<string, string>): ApiResponse {
  return { status, headers, body: new Uint8Array() };
}
