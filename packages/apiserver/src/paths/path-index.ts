import { formatGroupVersion } from '@pintle/machinery';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import type { ApiResponse } from '../request/exchange.ts';
import type { Health } from './health.ts';

const FIXED = [
  '/.well-known/openid-configuration',
  '/flagz',
  '/metrics',
  '/metrics/slis',
  '/openid/v1/jwks',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/statusz',
  '/version',
];

/** Serves the list of paths at `/` and `/index.html`. */
export function servePathIndex(catalog: DiscoveryCatalog, health: Health, path: string): ApiResponse | undefined {
  if (path !== '/' && path !== '/index.html') return undefined;
  const paths = [...FIXED, '/apis', '/apis/', ...health.paths(), ...pathsOf(catalog)].sort();
  const body = Buffer.from(JSON.stringify({ paths }, undefined, 2));
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function pathsOf(catalog: DiscoveryCatalog): string[] {
  return catalog.groups.flatMap(({ group, versions }) => {
    const root = group === '' ? '/api' : '/apis';
    const own = versions.map((version) => `${root}/${formatGroupVersion(version)}`);
    return [group === '' ? root : `${root}/${group}`, ...own];
  });
}
