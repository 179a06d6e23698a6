import { serverResponseError } from '@pintle/machinery/errors';
import { MEDIA_TYPES, refuseUnroutable } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';

/** The Kubernetes whose API this is. Clients read gitVersion as a semantic version. */
export const VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.4+pintle',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.26.0',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const;

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
