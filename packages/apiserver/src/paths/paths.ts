import { quote, serverResponseError } from '@pintle/machinery/errors';
import { table } from '@pintle/machinery/table';
import { serveDiscovery } from '../discovery/serve-discovery.ts';
import { MEDIA_TYPES, refuseUnroutable } from '../http/content-negotiation.ts';
import type { MetricsSources } from '../metrics/serve-metrics.ts';
import { serveMetrics } from '../metrics/serve-metrics.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { headerOf, textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { PathRequest } from '../request/request-info.ts';
import { VERSION } from '../version.ts';
import type { DebugSources } from './debug-pages.ts';
import { serveDebugPage } from './debug-pages.ts';
import type { Health } from './health.ts';
import { servePathIndex } from './path-index.ts';

export interface PathSources extends MetricsSources, DebugSources {
  readonly health: Health;
  /** Handlers after the server's own. */
  readonly more: readonly PathHandler[];
}

type Answer = ApiResponse | Promise<ApiResponse> | undefined;
type OwnHandler = (sources: PathSources, state: RequestState, path: string) => Answer;
/** Serves some paths; `undefined` for all others. */
export type PathHandler = (state: RequestState, path: string) => Answer;

const HANDLERS: readonly OwnHandler[] = [
  ({ health }, state, path) => health.serve(state, path),
  ({ catalog }, state, path) => serveDiscovery(catalog, state, path),
  (sources, state, path) => (path.startsWith('/openapi/') ? openApi(sources, state, path) : undefined),
  (sources, _state, path) => serveMetrics(sources, path),
  (_sources, state, path) => serveVersion(state, path),
  serveDebugPage,
  ({ catalog, health }, _state, path) => servePathIndex(catalog, health, path),
];

/** Serves a request that is not about a resource. */
export async function servePath(sources: PathSources, state: RequestState, info: PathRequest): Promise<ApiResponse> {
  for (const handler of HANDLERS) {
    const response = handler(sources, state, info.path);
    if (response !== undefined) return await response;
  }
  for (const handler of sources.more) {
    const response = handler(state, info.path);
    if (response !== undefined) return await response;
  }
  return pageNotFound();
}

/** Loads the code for OpenAPI documents, which most clients never request. */
async function openApi(sources: PathSources, state: RequestState, path: string): Promise<ApiResponse> {
  const { serveOpenApi } = await import('../openapi/serve-openapi.ts');
  return (await serveOpenApi(sources, state, path)) ?? pageNotFound();
}

/** Returns the response for unknown paths. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}

/** Returns the response for a path without a resource after `watch` or `proxy`, which precedes authentication. */
export function incompletePath({ path, query }: Pick<ApiRequest, 'path' | 'query'>, { message }: Error): ApiResponse {
  const url = query === '' ? path : `${path}?${query}`;
  const text = `Internal Server Error: ${quote(url)}: failed to create RequestInfo: ${message}, ${url}\n`;
  return textResponse(
    500,
    text.replace(/[&<>]/g, (character) => HTML_ESCAPES[character]!),
  );
}

const HTML_ESCAPES: Readonly<Record<string, string>> = table({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

const VERSION_BODY = Buffer.from(JSON.stringify(VERSION, undefined, 2));

/** Serves `/version`. Paths below and other methods than GET are refused with a Status. */
function serveVersion({ request }: RequestState, path: string): ApiResponse | undefined {
  if (path !== '/version' && !path.startsWith('/version/')) return undefined;
  const { method } = request;
  if (!/^\/version\/*$/.test(path)) throw serverResponseError({ code: 404, method });
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  refuseUnroutable(method, headerOf(request, 'accept'), { types: [MEDIA_TYPES.json] });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: VERSION_BODY };
}
