import { serverResponseError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { refuseUnroutable } from '../http/content-negotiation.ts';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { headerOf, textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { aggregatedClause, aggregatedDiscovery } from './aggregated.ts';
import { answerDocument } from './answer-document.ts';
import type { CatalogGroup, DiscoveryCatalog } from './catalog.ts';
import { coreVersionsDocument, groupDocument, groupListDocument, resourceListDocument } from './legacy.ts';

const PATH = /^\/(api|apis)(?:\/([^/]+))?(?:\/([^/]+))?\/*$/;

/** `/api`, `/apis` and below: what the server offers, in the old form or the aggregated one. */
export function serveDiscovery(
  catalog: DiscoveryCatalog,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, root, second, third] = match;
  // Slashes at the end mean nothing, except where a group without a name could stand.
  if (root === 'apis' && second === undefined && path.endsWith('//')) return undefined;
  // With a slash it is the list of groups, in its old form only.
  if (path === '/apis/') return answerRead(state, groupListDocument(catalog.groups));
  return root === 'api' ? serveCore(catalog, state, second, third) : serveGroups(catalog, state, path);
}

async function serveCore(
  catalog: DiscoveryCatalog,
  state: RequestState,
  version: string | undefined,
  more: string | undefined,
): Promise<ApiResponse> {
  const core = catalog.group('');
  const found = core?.versions.find((candidate) => candidate.version === version);
  if (core === undefined || more !== undefined) throw notFound(state);
  if (version !== undefined) return await answerRouted(state, found && resourceListDocument(found));
  const clause = aggregatedClause(state);
  const { method } = state.request;
  if (method === 'GET' && clause !== undefined) {
    refuseUnroutable(method, headerOf(state.request, 'accept'));
    return await aggregatedDiscovery(catalog, state, 'api', clause);
  }
  return await answerRouted(state, coreVersionsDocument(core, addressOf(state.request)));
}

async function serveGroups(catalog: DiscoveryCatalog, state: RequestState, path: string): Promise<ApiResponse> {
  const [, , name, version] = PATH.exec(path) ?? [];
  if (name === undefined) {
    const clause = aggregatedClause(state);
    if (clause !== undefined) return await aggregatedDiscovery(catalog, state, 'apis', clause);
    return await answerRead(state, groupListDocument(catalog.groups));
  }
  const group = name === '' ? undefined : catalog.group(name);
  if (group === undefined) return textResponse(404, '404 page not found\n');
  if (version === undefined) {
    const isRouted = name === AGGREGATION || (path.endsWith('//') && !isOfDefinitions(group));
    return await (isRouted ? answerRouted : answerRead)(state, groupDocument(group));
  }
  const found = group.versions.find((candidate) => candidate.version === version);
  // Groups of definitions know only the paths of their versions; of the built-in ones the rest is told as a Status.
  if (found === undefined && isOfDefinitions(group)) {
    return textResponse(404, '404 page not found\n');
  }
  const document = found && resourceListDocument(found);
  return found?.isCustom ? await answerRead(state, document) : await answerRouted(state, document);
}

function isOfDefinitions({ versions }: CatalogGroup): boolean {
  return versions.every(({ isCustom }) => isCustom);
}

/** The one group that Kubernetes serves itself where it puts all of them together. */
const AGGREGATION = 'apiregistration.k8s.io';

/** A document at a path that Kubernetes routes as it does those of resources. */
async function answerRouted(state: RequestState, document: JsonObject | undefined): Promise<ApiResponse> {
  const { method } = state.request;
  if (document === undefined) throw notFound(state);
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  refuseUnroutable(method, headerOf(state.request, 'accept'));
  return await answerDocument(state, document);
}

/** A document at a path that takes any method. */
async function answerRead(state: RequestState, document: JsonObject | undefined): Promise<ApiResponse> {
  if (document === undefined) throw notFound(state);
  return await answerDocument(state, document);
}

function notFound({ request }: RequestState): Error {
  return serverResponseError({ code: 404, method: request.method });
}

/** Where clients find this server: where this one did, whatever name it had for it. */
function addressOf(request: ApiRequest): string {
  return request.peer.reachedAt ?? headerOf(request, 'host') ?? '';
}
