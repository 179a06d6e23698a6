import type { Eventual } from '@pintle/async';
import { after } from '@pintle/async';
import { badRequestError, methodNotSupportedError, notFoundError, serverResponseError } from '@pintle/machinery/errors';
import type { ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import type { ResourceRequest, Verb } from '../request/request-info.ts';
import { guardName } from '../request/request-info.ts';
import type { EndpointDependencies, Endpoints } from '../resource/endpoint.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { groupResourceOf } from '../resource/served-resource.ts';
import { YieldPolicy } from '../resource/yield-policy.ts';
import { storedEndpoints } from './stored-endpoints.ts';

/** Answers a request for a resource. */
export function serveResource(
  dependencies: EndpointDependencies,
  state: RequestState,
  info: ResourceRequest,
): Eventual<ApiResponse> {
  return after(dependencies.resources.find(info), (resource) => serveFound(dependencies, state, info, resource));
}

function serveFound(
  dependencies: EndpointDependencies,
  state: RequestState,
  info: ResourceRequest,
  resource: ServedResource | undefined,
): Eventual<ApiResponse> {
  if (resource === undefined && !dependencies.resources.hasBuiltIn(info))
    return textResponse(404, '404 page not found\n');
  const isPlaced = resource !== undefined && hasScope(resource, info, state.request.method);
  if (resource?.isCustom && !isPlaced) return textResponse(404, '404 page not found\n');
  if (resource === undefined || !isPlaced) throw unknownResource(state);
  const { request, query, user, warnings, audit, onBegun, onFollowing } = state;
  if (resource.deprecation !== undefined) audit?.annotate('k8s.io/deprecated', 'true');
  // Warn about a deprecated custom version before anything else is checked.
  if (resource.isCustom && resource.deprecation !== undefined) warnings.add(resource.deprecation);
  if (info.name === '' && info.subresource !== '' && !resource.isCustom) throw nameless(resource, state, info);
  const part = partOf(resource, info);
  if (part === undefined && resource.isCustom) throw notFoundError(groupResourceOf(resource), info.name);
  if (part === undefined || isUnnamed(resource, info)) throw unknownResource(state);
  if (!METHODS.has(state.request.method) && !isExtraMethod(resource, info, state.request.method)) {
    throw resource.isCustom ? methodNotSupportedError(groupResourceOf(resource), '') : methodNotAllowed(state);
  }
  if (info.verb === 'watch' && !READS.has(state.request.method)) throw methodNotAllowed(state);
  const verb = info.verb || 'get';
  const endpoint = (part.endpoints ?? (storedEndpoints as Endpoints))[verb];
  if (endpoint === undefined || !part.verbs.has(verb)) {
    const isKnownRoute = resource.isCustom || (info.verb === 'watch' && part.verbs.has('list'));
    throw isKnownRoute ? methodNotSupportedError(groupResourceOf(resource), info.verb) : methodNotAllowed(state);
  }
  if (isMisplaced(resource, info)) throw methodNotAllowed(state);
  // An update checks its body before its name.
  if (info.verb !== 'update' || part.endpoints !== undefined) guardName(info.name);
  if (info.verb === 'update' && info.name === '') throw badRequestError('name must be provided');
  if (info.isNamespaceEmpty && info.name !== '' && info.verb !== 'watch')
    throw badRequestError('Namespace parameter required.');
  if (!resource.isCustom && resource.deprecation !== undefined) warnings.add(resource.deprecation);
  // The path of a namespace names it twice, as `namespaces/<name>`; the object itself has no namespace.
  const target = resource.type.scope === 'Cluster' ? { ...info, namespace: '' } : info;
  const memory = dependencies.responseMemory.clientOf(user, request.peer);
  // Spelled out, because a spread takes longer than looking up the object.
  return endpoint({
    store: dependencies.store,
    clock: dependencies.clock,
    random: dependencies.random,
    resources: dependencies.resources,
    authorizer: dependencies.authorizer,
    admission: dependencies.admission,
    responseMemory: dependencies.responseMemory,
    namespaceState: dependencies.namespaceState,
    onDamaged: dependencies.onDamaged,
    shards: dependencies.shards,
    request,
    query,
    info: target,
    resource,
    user,
    warnings,
    yielding: new YieldPolicy(memory.name),
    memory,
    audit,
    onBegun,
    onFollowing,
  });
}

/** Methods of built-in resources, which do not serve HEAD, as in Kubernetes; custom resources and paths do. */
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function isExtraMethod({ isCustom }: ServedResource, { subresource }: ResourceRequest, method: string): boolean {
  const isProxied = subresource === 'proxy' && (method === 'HEAD' || method === 'OPTIONS');
  return isProxied || (isCustom && method === 'HEAD');
}

const READS = new Set(['GET', 'HEAD']);

/** Returns the error for a subresource without an object name in the path, as in `pods//status`. */
function nameless({ subresources }: ServedResource, state: RequestState, info: ResourceRequest): Error {
  const part = info.rest.length > 0 ? undefined : subresources.get(info.subresource);
  if (part === undefined) return unknownResource(state);
  const verb = NAMED_VERBS[info.verb] ?? info.verb;
  const isAllowed = METHODS.has(state.request.method) && part.verbs.has(verb);
  return isAllowed ? badRequestError('name must be provided') : methodNotAllowed(state);
}

/** Verbs of paths without a name, by the verb of one object that they stand for. */
const NAMED_VERBS: Readonly<Partial<Record<Verb, Verb>>> = { list: 'get', watch: 'get', deletecollection: 'delete' };

/** Returns the resource or its subresource; only proxies have further path segments. */
function partOf(resource: ServedResource, { name, subresource, rest }: ResourceRequest) {
  if (rest.length > 0 && subresource !== 'proxy') return undefined;
  if (name === '' && subresource !== '') return undefined;
  return subresource === '' ? resource : resource.subresources.get(subresource);
}

/**
 * True when the path has the scope of the resource. Namespaced objects need their namespace, unless all are listed;
 * cluster-scoped ones must not have one.
 */
function hasScope({ type, isCustom }: ServedResource, info: ResourceRequest, method: string): boolean {
  if (type.scope === 'Cluster') {
    const isItself = info.resource === 'namespaces' && info.group === '' && info.namespace === info.name;
    return !info.isNamespaceEmpty && !info.isNamespaceNested && (info.namespace === '' || isItself);
  }
  if (info.namespace !== '') return true;
  if (isCustom) return READS.has(method) && (info.verb === 'list' || info.verb === 'watch');
  return info.isNamespaceEmpty === true || (info.name === '' && info.subresource === '');
}

/** True for a path with a name, or across namespaces, of a kind that is only created and never stored. */
function isUnnamed({ type, verbs, subresources }: ServedResource, info: ResourceRequest): boolean {
  const isKept = verbs.size !== 1 || !verbs.has('create') || subresources.size > 0;
  return !isKept && (info.name !== '' || (type.scope !== 'Cluster' && info.namespace === '' && !info.isNamespaceEmpty));
}

/**
 * True for a create with a name, a change without one, or a write across all namespaces. Kubernetes routes custom
 * resources separately: there a missing name is found later, and a create takes the name in the body.
 */
function isMisplaced({ type, isCustom }: ServedResource, info: ResourceRequest): boolean {
  if (info.verb === 'create' && info.subresource === '' && info.name !== '') return !isCustom;
  if ((info.verb === 'update' || info.verb === 'patch') && info.name === '') return !isCustom;
  if (type.scope === 'Cluster' || info.namespace !== '' || info.isNamespaceEmpty) return false;
  return info.verb === 'create' || info.verb === 'deletecollection';
}

function unknownResource(state: RequestState): Error {
  return serverResponseError({ code: 404, method: state.request.method });
}

function methodNotAllowed(state: RequestState): Error {
  return serverResponseError({ code: 405, method: state.request.method });
}
