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

/** Serves `/api`, `/apis` and the paths below, in the old or the aggregated form. */
export function serveDiscovery(
  catalog: DiscoveryCatalog,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, root, second, third] = match;
  // Slashes at the end are ignored, except in the place of a group.
  if (root === 'apis' && second === undefined && path.endsWith('//')) return undefined;
  // With a slash it is the list of groups in the old form only.
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
  // Groups of definitions answer unknown versions with plain text, built-in ones with a Status.
  if (found === undefined && isOfDefinitions(group)) {
    return textResponse(404, '404 page not found\n');
  }
  const document = found && resourceListDocument(found);
  return found?.isCustom ? await answerRead(state, document) : await answerRouted(state, document);
}

function isOfDefinitions({ versions }: CatalogGroup): boolean {
  return versions.every(({ isCustom }) => isCustom);
}

/** Group that Kubernetes' aggregator serves itself. */
const AGGREGATION = 'apiregistration.k8s.io';

/** Returns a document at a path that Kubernetes routes like resources. */
async function answerRouted(state: RequestState, document: JsonObject | undefined): Promise<ApiResponse> {
  const { method } = state.request;
  if (document === undefined) throw notFound(state);
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  refuseUnroutable(method, headerOf(state.request, 'accept'));
  return await answerDocument(state, document);
}

/** Returns a document at a path that accepts any method. */
async function answerRead(state: RequestState, document: JsonObject | undefined): Promise<ApiResponse> {
  if (document === undefined) throw notFound(state);
  return await answerDocument(state, document);
}

function notFound({ request }: RequestState): Error {
  return serverResponseError({ code: 404, method: request.method });
}

/** Returns the address by which the client reached this server. */
function addressOf(request: ApiRequest): string {
  return request.peer.reachedAt ?? headerOf(request, 'host') ?? '';
}
