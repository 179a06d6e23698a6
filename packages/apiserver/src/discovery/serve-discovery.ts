import type { ApiResponse } from '../http/exchange.ts';
import { headerOf, textResponse } from '../http/exchange.ts';
import { parseAccept } from '../http/media-type.ts';
import type { Foundation } from '../registry/endpoint.ts';
import type { RequestState } from '../request/pipeline.ts';
import { AGGREGATED_TYPE, aggregatedDiscovery } from './aggregated.ts';
import { groupDocument, groupListDocument, resourceListDocument } from './legacy.ts';

/** `/api`, `/apis` and below: what the server offers, in the old form or the aggregated one. */
export function serveDiscovery(_foundation: Foundation, state: RequestState, path: string): ApiResponse | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  const [root, group, version, more] = segments;
  if ((root !== 'api' && root !== 'apis') || more !== undefined) return undefined;
  if (segments.length === 1)
    return wantsAggregated(state) ? aggregatedDiscovery(state, root) : documentOf(groupListDocument(root, state));
  if (root === 'api') return segments.length === 2 ? documentOf(resourceListDocument('', group!)) : undefined;
  return documentOf(version === undefined ? groupDocument(group!) : resourceListDocument(group!, version));
}

/** The first clause that either form can satisfy decides. */
function wantsAggregated(state: RequestState): boolean {
  for (const { type, parameters } of parseAccept(headerOf(state.request, 'accept'))) {
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    if (!parameters.has('as')) return false;
    if (
      parameters.get('as') === AGGREGATED_TYPE.as &&
      parameters.get('g') === AGGREGATED_TYPE.g &&
      parameters.get('v') === AGGREGATED_TYPE.v
    )
      return true;
  }
  return false;
}

function documentOf(document: object | undefined): ApiResponse {
  if (document === undefined) return textResponse(404, '404 page not found\n');
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(document)) };
}
