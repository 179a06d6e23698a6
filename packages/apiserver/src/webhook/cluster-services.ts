import type { Node, Service } from '@pintle/kinds/core/v1';
import type { EndpointSlice } from '@pintle/kinds/discovery/v1';
import type { Store } from '@pintle/store';
import type { ServiceAddress, ServiceResolver } from '../outbound/index.ts';
import { collectionRange, objectKey } from '../storage/keys.ts';
import { decodeObject } from '../storage/object-codec.ts';
import { scanRecords } from '../storage/scan-records.ts';

const SERVICES = { group: '', resource: 'services' };
const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' };
const NODES = { group: '', resource: 'nodes' };
/** Label of simulated nodes. Addresses of their pods are made up and may belong to another machine. */
const SIMULATED = 'pintle.dev/simulated';
const SERVICE_NAME = 'kubernetes.io/service-name';

/**
 * Resolves services from the objects in the store: an external name, else a ready endpoint, else the cluster IP, which
 * only machines with a service proxy can reach. Throws when all ready endpoints are on simulated nodes.
 */
export function clusterServices(store: Store): ServiceResolver {
  return async ({ namespace, name, port }) => {
    const service = await findService(store, namespace, name);
    const { type, externalName, clusterIP, ports = [] } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName ?? '', port };
    const found = ports.find((candidate) => candidate.port === port);
    if (found === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const endpoint = await findEndpoint(store, service, found.name ?? '');
    if (endpoint !== undefined) return endpoint;
    if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None') {
      throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
    }
    return { host: clusterIP, port };
  };
}

async function findService(store: Store, namespace: string, name: string): Promise<Service> {
  const isKey = ![namespace, name].some((text) => text === '' || /[/\0]/.test(text));
  const record = isKey ? await store.get(objectKey(SERVICES, namespace, name)) : undefined;
  if (record === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  return decodeObject(record, 'Service') as Service;
}

async function findEndpoint(
  store: Store,
  { metadata }: Service,
  portName: string,
): Promise<ServiceAddress | undefined> {
  let isSimulated = false;
  for await (const record of scanRecords(store, collectionRange(SLICES, metadata.namespace ?? ''))) {
    const slice = decodeObject(record, 'EndpointSlice') as EndpointSlice;
    if (slice.metadata.labels?.[SERVICE_NAME] !== metadata.name) continue;
    const port = slice.ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
    if (port === undefined) continue;
    for (const { addresses, conditions, nodeName } of slice.endpoints ?? []) {
      const host = addresses[0];
      if (conditions?.ready === false || host === undefined) continue;
      if (!(await isOnSimulatedNode(store, nodeName))) return { host, port };
      isSimulated = true;
    }
  }
  if (isSimulated)
    throw new Error(`the pods behind service ${JSON.stringify(metadata.name)} are simulated and serve no requests`);
  return undefined;
}

async function isOnSimulatedNode(store: Store, nodeName = ''): Promise<boolean> {
  if (nodeName === '' || nodeName.includes('/')) return false;
  const record = await store.get(objectKey(NODES, '', nodeName));
  const node = record && (decodeObject(record, 'Node') as Node);
  return node?.metadata.annotations?.[SIMULATED] === 'true';
}
