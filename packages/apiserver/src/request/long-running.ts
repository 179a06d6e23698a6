import type { RequestInfo } from './request-info.ts';

const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** True for requests that last as long as their client likes: no deadline, and not counted among those in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (info.kind === 'path') return false;
  return info.verb === 'watch' || info.verb === 'proxy' || LONG_SUBRESOURCES.has(info.subresource);
}

/** Whether a watch begins with what is there. */
export function beginsWithAll(query: URLSearchParams): boolean {
  const sent = query.get('sendInitialEvents');
  if (sent !== null) return sent === 'true';
  const version = query.get('resourceVersion');
  return version === null || version === '' || version === '0';
}
