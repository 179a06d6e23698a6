import type { CachedClient } from '@pintle/client';
import { Endpoints, Service } from '@pintle/kinds/core/v1';
import type { Endpoint, EndpointPort } from '@pintle/kinds/discovery/v1';
import { EndpointSlice } from '@pintle/kinds/discovery/v1';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { controllerRef } from '../common/controller-ref.ts';
import { MANAGED_BY, SERVICE_NAME } from './endpoint-slice-controller.ts';
import { inOrderOfHash, slicePortText } from './port-order.ts';
import { TRIGGER_TIME } from './trigger-times.ts';

const US = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const ENDPOINTS_MANAGED_BY = 'endpoints.kubernetes.io/managed-by';

/** Endpoints that somebody made by hand, for a service without a selector, are seen as slices too. */
export function addEndpointSliceMirroringController(manager: Manager): Controller {
  return manager
    .controller(Endpoints, 'endpointslicemirroring')
    .watches(Service, ({ metadata: { namespace = '', name = '' } }) => [{ namespace, name }])
    .watches(EndpointSlice, ({ metadata: { namespace = '', labels = {} } }) =>
      labels[MANAGED_BY] === US && labels[SERVICE_NAME] ? [{ namespace, name: labels[SERVICE_NAME] }] : [],
    )
    .reconcileRequests(async ({ namespace = '', name }, { client }) => {
      const endpoints = await client.find(Endpoints, { namespace, name });
      const service = await client.find(Service, { namespace, name });
      const slices = await client.list(EndpointSlice, {
        namespace,
        labelSelector: `${SERVICE_NAME}=${name},${MANAGED_BY}=${US}`,
      });
      const wanted = endpoints && service && isMirrored(endpoints, service) ? slicesOf(endpoints) : [];
      await settle(client, endpoints, wanted, slices);
    });
}

function isMirrored({ metadata }: Endpoints, { spec }: Service): boolean {
  const { labels = {}, annotations = {} } = metadata;
  if (labels[SKIP] === 'true' || LEADER in annotations || labels[ENDPOINTS_MANAGED_BY] === 'endpoint-controller')
    return false;
  return spec?.selector === undefined;
}

type Content = Required<Pick<EndpointSlice, 'addressType' | 'endpoints' | 'ports'>>;

function slicesOf({ subsets = [] }: Endpoints): Content[] {
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const endpoints = [
      ...addresses.map((address) => endpointOf(address, true)),
      ...notReadyAddresses.map((address) => endpointOf(address, false)),
    ];
    const mirrored = inOrderOfHash(
      ports.map(
        ({ name = '', port, protocol = 'TCP', appProtocol }) =>
          ({ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }) as EndpointPort,
      ),
      slicePortText,
    );
    return (['IPv4', 'IPv6'] as const).flatMap((addressType) => {
      const ofType = endpoints.filter(({ addresses: [ip = ''] = [] }) => ip.includes(':') === (addressType === 'IPv6'));
      return ofType.length > 0 ? [{ addressType, endpoints: ofType, ports: mirrored }] : [];
    });
  });
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: { ip?: string; hostname?: string; nodeName?: string; targetRef?: object },
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip ?? ''],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}

async function settle(
  client: CachedClient,
  endpoints: Endpoints | undefined,
  wanted: readonly Content[],
  slices: readonly EndpointSlice[],
): Promise<void> {
  const free = [...slices];
  for (const content of wanted) {
    const index = free.findIndex(
      (slice) => slice.addressType === content.addressType && deepEqual(slice.ports ?? [], content.ports),
    );
    const slice = free[index];
    if (slice === undefined) await create(client, endpoints!, content);
    else {
      free.splice(index, 1);
      const { labels, annotations } = mirroredMeta(endpoints!);
      const isSame =
        deepEqual(slice.endpoints ?? [], content.endpoints) &&
        deepEqual(slice.metadata.labels ?? {}, labels) &&
        deepEqual(slice.metadata.annotations ?? {}, annotations);
      const metadata = { ...slice.metadata, labels, annotations };
      if (!isSame) await client.update(EndpointSlice, { ...slice, ...content, metadata });
    }
  }
  for (const slice of free) await client.delete(EndpointSlice, slice);
}

async function create(client: CachedClient, endpoints: Endpoints, content: Content): Promise<void> {
  const { namespace = '', name = '' } = endpoints.metadata;
  const ownerReferences = [controllerRef(Endpoints, endpoints)];
  const metadata = { namespace, generateName: `${name}-`, ...mirroredMeta(endpoints), ownerReferences };
  await client.create(EndpointSlice, { metadata, ...content });
}

/** All that people noted on the endpoints, but not what machines did. */
function mirroredMeta({ metadata: { name = '', labels = {}, annotations = {} } }: Endpoints) {
  const { [ENDPOINTS_MANAGED_BY]: _managed, ...keptLabels } = labels;
  const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...keptAnnotations } = annotations;
  return { labels: { ...keptLabels, [SERVICE_NAME]: name, [MANAGED_BY]: US }, annotations: keptAnnotations };
}
