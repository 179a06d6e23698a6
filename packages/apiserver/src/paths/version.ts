import type { ApiResponse } from '../http/exchange.ts';
import type { Foundation } from '../registry/endpoint.ts';
import type { RequestState } from '../request/pipeline.ts';

/** The Kubernetes whose API this is. Clients read gitVersion as a semantic version. */
const VERSION = {
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
};

export function serveVersion(_foundation: Foundation, _state: RequestState, path: string): ApiResponse | undefined {
  if (path !== '/version' && path !== '/version/') return undefined;
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(VERSION, undefined, 2)),
  };
}
