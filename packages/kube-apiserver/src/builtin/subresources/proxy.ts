import type { ApiResponse } from '@pintle/apiserver';
import type { Endpoints, RequestContext } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { Endpoints as EndpointsObject, Pod, Service } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, notFoundError, serviceUnavailableError } from '@pintle/machinery/errors';
import { isValidIp } from '@pintle/machinery/names';
import type { NodeConnector } from '../../nodes/node-connector.ts';
import { admitConnection, proxyOptions } from './admit-connection.ts';
import { kubeletResponse } from './kubelet-response.ts';
import { kubeletOf, NO_ROUTE } from './node-connection.ts';

/** `pods/proxy`, `services/proxy` and `nodes/proxy`: refused as in Kubernetes when the target cannot be reached. */
export const podProxy: Endpoints = forAllMethods('PodProxyOptions', proxyToPod);
export const serviceProxy: Endpoints = forAllMethods('ServiceProxyOptions', proxyToService);

/** Serves what a kubelet knows without its containers, for nodes that `nodes` reaches. */
export function nodeProxy(nodes: NodeConnector | undefined): Endpoints {
  return forAllMethods('NodeProxyOptions', (context) => proxyToNode(context, nodes));
}

/** Checks the target; returns the response when it needs no connection. */
type Connect = (context: RequestContext) => Promise<ApiResponse | undefined>;

function forAllMethods(kind: string, connect: Connect): Endpoints {
  const endpoint = async (context: RequestContext): Promise<ApiResponse> => {
    const options = proxyOptions(context);
    await admitConnection(context, kind, options);
    const known = await connect(context);
    if (options.path === undefined) return toFolder(context);
    if (known !== undefined) return known;
    throw unreachable();
  };
  return { get: endpoint, create: endpoint, update: endpoint, patch: endpoint, delete: endpoint };
}

/** Redirects to the path with a trailing slash, because links in responses are relative. */
function toFolder({ request }: RequestContext): ApiResponse {
  const query = request.query === '' ? '' : `?${request.query}`;
  return { status: 301, headers: { location: `${request.path}/${query}` }, body: new Uint8Array() };
}

interface ProxyTarget {
  readonly name: string;
  readonly port: string;
}

/** `web`, `web:80` or `https:web:80` */
function readTarget({ info }: RequestContext, kind: string): ProxyTarget {
  const parts = info.name.split(':');
  const [name = '', port = ''] = parts.length === 3 ? parts.slice(1) : parts;
  const isKnown = parts.length < 3 || parts[0] === 'http' || parts[0] === 'https' || parts[0] === '';
  if (parts.length > 3 || !isKnown || name === '')
    throw badRequestError(`invalid ${kind} request ${JSON.stringify(info.name)}`);
  return { name, port };
}

async function proxyToPod(context: RequestContext): Promise<undefined> {
  const { name } = readTarget(context, 'pod');
  const { status } = await find<Pod>(context, name);
  const address = status?.podIPs?.[0]?.ip ?? status?.podIP ?? '';
  if (!isValidIp(address)) throw badRequestError('address not allowed');
  return undefined;
}

async function proxyToService(context: RequestContext): Promise<undefined> {
  const { name, port } = readTarget(context, 'service');
  const { spec } = await find<Service>(context, name);
  if (/^\d+$/.test(port) && !spec?.ports?.some((candidate) => candidate.port === Number(port))) {
    throw serviceUnavailableError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  const resource = (await context.resources.find({ group: '', version: 'v1', resource: 'endpoints' }))!;
  const endpoints = await findObject(context.store, resource, context.info.namespace, name);
  if (endpoints === undefined) throw notFoundError({ group: '', resource: 'services' }, name);
  const { subsets = [] } = endpoints.object as EndpointsObject;
  if (!subsets.some(({ addresses }) => addresses?.length))
    throw serviceUnavailableError(`no endpoints available for service ${JSON.stringify(name)}`);
  return undefined;
}

async function proxyToNode(
  context: RequestContext,
  nodes: NodeConnector | undefined,
): Promise<ApiResponse | undefined> {
  const { name, port } = readTarget(context, 'node');
  const kubelet = await kubeletOf(context, name);
  if (port !== '' && !kubelet.endsWith(`:${port}`)) return undefined;
  return nodes?.reaches(name) ? await kubeletResponse(context, name) : undefined;
}

async function find<T extends KubernetesObject>(context: RequestContext, name: string): Promise<T> {
  const found = await findObject(context.store, context.resource, context.info.namespace, name);
  if (found === undefined) throw notFoundError(groupResourceOf(context.resource), name);
  return found.object as T;
}

function unreachable(): Error {
  return serviceUnavailableError(`error trying to reach service: ${NO_ROUTE}`);
}
