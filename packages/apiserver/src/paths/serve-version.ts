import { serverResponseError } from '@pintle/machinery/errors';
import { MEDIA_TYPES, refuseUnroutable } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { VERSION } from '../version.ts';

const body = Buffer.from(JSON.stringify(VERSION, undefined, 2));

/** `/version`; what is below it is told as a Status, and it cannot be written. */
export function serveVersion({ request }: RequestState, path: string): ApiResponse | undefined {
  if (path !== '/version' && !path.startsWith('/version/')) return undefined;
  const { method } = request;
  if (!/^\/version\/*$/.test(path)) throw serverResponseError({ code: 404, method });
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  refuseUnroutable(method, headerOf(request, 'accept'), { types: [MEDIA_TYPES.json] });
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
