import { describeTransportError, hostPort } from '@pintle/apiserver/outbound';
import { collectionRange, decodeObject, objectKey, scanRecords } from '@pintle/apiserver/storage';
import type { Clock } from '@pintle/async';
import { AsyncError, withTimeout } from '@pintle/async';
import type { Service } from '@pintle/kinds/core/v1';
import type { EndpointSlice } from '@pintle/kinds/discovery/v1';
import type { Store } from '@pintle/store';
import type { BackendClient } from './backend-client.ts';
import type { RemoteApi } from './remote-api.ts';

/** Content of the condition `Available`. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface AvailabilitySources {
  readonly store: Store;
  readonly clock: Clock;
  readonly backends: BackendClient;
}

export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};
const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };
const CHECK_TIMEOUT_MS = 5_000;
const SERVICE_NAME = 'kubernetes.io/service-name';
const SERVICES = { group: '', resource: 'services' };
const SLICES = { group: 'discovery.k8s.io', resource: 'endpointslices' };

/** Checks whether requests can be forwarded: first the Service and its endpoints, then the server itself. */
export async function checkAvailability(
  sources: AvailabilitySources,
  api: RemoteApi,
  signal: AbortSignal,
): Promise<Availability> {
  return (await missingObject(sources.store, api)) ?? (await failedDiscovery(sources, api, signal)) ?? PASSED;
}

async function missingObject(store: Store, { service: wanted }: RemoteApi): Promise<Availability | undefined> {
  const { namespace, name, port } = wanted;
  const named = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = await findService(store, namespace, name);
  if (service === undefined) return unavailable('ServiceNotFound', `${named} is not present`);
  const { type = 'ClusterIP', ports = [] } = service.spec ?? {};
  if (type !== 'ClusterIP') return undefined;
  const found = ports.find((candidate) => candidate.port === port);
  if (found === undefined) return unavailable('ServicePortError', `${named} is not listening on port ${port}`);
  const slices = await findSlices(store, namespace, name);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${named}`);
  const portName = found.name ?? '';
  if (slices.some((slice) => isReady(slice, portName))) return undefined;
  const what = `endpointslices for ${named} have no addresses with port name ${JSON.stringify(portName)}`;
  return unavailable('MissingEndpoints', what);
}

async function findService(store: Store, namespace: string, name: string): Promise<Service | undefined> {
  if ([namespace, name].some((text) => text === '' || /[/\0]/.test(text))) return undefined;
  const record = await store.get(objectKey(SERVICES, namespace, name));
  return record && (decodeObject(record, 'Service') as Service);
}

async function findSlices(store: Store, namespace: string, service: string): Promise<EndpointSlice[]> {
  const slices: EndpointSlice[] = [];
  for await (const record of scanRecords(store, collectionRange(SLICES, namespace))) {
    const slice = decodeObject(record, 'EndpointSlice') as EndpointSlice;
    if (slice.metadata.labels?.[SERVICE_NAME] === service) slices.push(slice);
  }
  return slices;
}

function isReady({ ports, endpoints }: EndpointSlice, portName: string): boolean {
  const hasPort = ports?.some(({ name }) => (name ?? '') === portName) ?? false;
  return (
    hasPort &&
    (endpoints ?? []).some(({ conditions, addresses }) => {
      return conditions?.ready !== false && addresses.length > 0;
    })
  );
}

async function failedDiscovery(
  { clock, backends }: AvailabilitySources,
  api: RemoteApi,
  signal: AbortSignal,
): Promise<Availability | undefined> {
  const path = `/apis/${api.group}/${api.version}`;
  let url = path;
  try {
    const target = await backends.locate(api);
    url = `https://${hostPort(target)}${path}`;
    const ask = (limit: AbortSignal) => backends.statusOf(target, path, limit);
    const status = await withTimeout(ask, CHECK_TIMEOUT_MS, { clock, signal });
    if (status >= 200 && status < 300) return undefined;
    return failed(url, `bad status from ${url}: ${status}`);
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof AsyncError ? 'context deadline exceeded' : describeTransportError(error);
    return failed(url, `Get "${url}": ${why}`);
  }
}

function failed(url: string, why: string): Availability {
  return unavailable('FailedDiscoveryCheck', `failing or missing response from ${url}: ${why}`);
}

function unavailable(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}
