import type { RequestContext } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { Node } from '@pintle/kinds/core/v1';
import { notFoundError, unclassifiedError } from '@pintle/machinery/errors';

const PREFERRED = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_PORT = 10250;

/** Reason why requests to a kubelet fail. */
export const NO_ROUTE = 'this server does not connect to nodes and pods';

/**
 * Returns the address of a node's kubelet, as `host:port`. Throws as Kubernetes does when it is unknown: a missing node
 * is reported as a missing object of the requested resource.
 */
export async function kubeletOf({ store, resources, resource }: RequestContext, nodeName: string): Promise<string> {
  const nodes = (await resources.find({ group: '', version: 'v1', resource: 'nodes' }))!;
  const found = await findObject(store, nodes, '', nodeName);
  if (found === undefined) throw notFoundError(groupResourceOf(resource), nodeName);
  const { addresses = [], daemonEndpoints } = (found.object as Node).status ?? {};
  const address = PREFERRED.map((wanted) => addresses.find(({ type }) => type === wanted)).find(Boolean);
  if (address === undefined) throw unclassifiedError(500, 'no preferred addresses found; known addresses: []');
  const host = address.address.includes(':') ? `[${address.address}]` : address.address;
  return `${host}:${daemonEndpoints?.kubeletEndpoint?.Port || KUBELET_PORT}`;
}
