import { serverResponseError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../http/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { ResourceRequest, Verb } from '../request/request-info.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { removeCollection } from './delete-collection.ts';
import type { EndpointCall, Foundation } from './endpoint.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import type { ServedResource } from './served-resource.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

type Endpoint = (call: EndpointCall) => Promise<ApiResponse>;

const ENDPOINTS: Readonly<Partial<Record<Verb, Endpoint>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Answers a request for a resource. */
export async function serveResource(
  foundation: Foundation,
  state: RequestState,
  info: ResourceRequest,
): Promise<ApiResponse> {
  const resource = foundation.resources.find({ group: info.group, version: info.version, resource: info.resource });
  if (resource === undefined || !hasScope(resource, info)) throw unknownResource(state);
  const verbs = info.subresource === '' ? resource.verbs : resource.subresources.get(info.subresource)?.verbs;
  if (verbs === undefined) throw unknownResource(state);
  const endpoint = ENDPOINTS[info.verb];
  if (endpoint === undefined || !verbs.has(info.verb) || isUnnamedWrite(resource, info)) throw methodNotAllowed(state);
  const { request, query, user, warnings } = state;
  // A namespace's own URL names it twice, as `namespaces/<name>`; its object lies in none.
  const target = resource.type.scope === 'Cluster' ? { ...info, namespace: '' } : info;
  return await endpoint({ ...foundation, request, query, user, warnings, info: target, resource });
}

/** Namespaced objects are only reached through their namespace, cluster-scoped ones only without. */
function hasScope({ type }: ServedResource, info: ResourceRequest): boolean {
  if (type.scope === 'Cluster')
    return (
      info.namespace === '' || (info.resource === 'namespaces' && info.group === '' && info.namespace === info.name)
    );
  return info.namespace !== '' || info.name === '';
}

/** Writing to a collection across all namespaces: which one is meant? */
function isUnnamedWrite({ type }: ServedResource, info: ResourceRequest): boolean {
  if (type.scope === 'Cluster' || info.namespace !== '') return false;
  return info.verb === 'create' || info.verb === 'deletecollection';
}

function unknownResource(state: RequestState): Error {
  return serverResponseError({ code: 404, method: state.request.method });
}

function methodNotAllowed(state: RequestState): Error {
  return serverResponseError({ code: 405, method: state.request.method });
}
