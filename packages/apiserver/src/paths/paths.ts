import { serveDiscovery } from '../discovery/serve-discovery.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { textResponse } from '../http/exchange.ts';
import type { Foundation } from '../registry/endpoint.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { PathRequest } from '../request/request-info.ts';
import { serveHealth } from './health.ts';
import { serveVersion } from './version.ts';

type PathHandler = (
  foundation: Foundation,
  state: RequestState,
  path: string,
) => ApiResponse | Promise<ApiResponse> | undefined;

const HANDLERS: readonly PathHandler[] = [serveHealth, serveVersion, serveDiscovery];

/** Answers a request that is not about a resource. */
export async function servePath(foundation: Foundation, state: RequestState, info: PathRequest): Promise<ApiResponse> {
  for (const handler of HANDLERS) {
    const response = handler(foundation, state, info.path);
    if (response !== undefined) return await response;
  }
  return textResponse(404, '404 page not found\n');
}
